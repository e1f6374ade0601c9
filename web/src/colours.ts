// What the papers are coloured by: their area, or their region where the corpus is all of one area or two.

import type { ExpressionSpecification } from "maplibre-gl";
import type { Region } from "./api.ts";
import { palette } from "./palette.ts";

const FEW = 2;
const GREY = new Set(["other", "unknown"]);

export interface Entry {
  name: string;
  colour: string;
  /** Which features of the `papers` layer it stands for. */
  of: ExpressionSpecification;
}

export interface Colours {
  heading: string;
  entries: Entry[];
  /** Of a feature of the `papers` layer. */
  expression: ExpressionSpecification;
}

export function coloursOf(areas: readonly string[], regions: readonly Region[]): Colours {
  const known = areas.filter((name) => !GREY.has(name));
  return known.length > FEW || !regions.length ? byArea(areas) : byRegion(regions);
}

function byArea(areas: readonly string[]): Colours {
  const { areas: palettes, rest } = palette();
  const entries = areas.map((name, index) => ({
    name: GREY.has(name) ? `${name[0]?.toUpperCase()}${name.slice(1)}` : name,
    colour: GREY.has(name) ? rest : (palettes[index] ?? rest),
    of: ["==", ["get", "a"], index] as ExpressionSpecification,
  }));
  return { heading: "Areas", entries, expression: match("a", entries.map(({ colour }, index) => [index, colour]), rest) };
}

function byRegion(regions: readonly Region[]): Colours {
  const { areas: palettes, rest } = palette();
  const tops = regions.filter(({ level }) => level === 0).sort((one, other) => other.papers - one.papers);
  const colour = new Map(tops.map(({ key }, index) => [key, palettes[index] ?? rest]));
  const top = (key: string): string => pathOf(key, regions)[0]?.key ?? key;
  return {
    heading: "Regions",
    entries: tops.map(({ key, name }) => ({
      name,
      colour: colour.get(key) ?? rest,
      of: ["in", ["get", "r"], ["literal", regions.filter((region) => top(region.key) === key).map((region) => region.key)]],
    })),
    expression: match("r", regions.map(({ key }) => [key, colour.get(top(key)) ?? rest]), rest),
  };
}

/** A region and those it lies in, coarsest first. */
export function pathOf(key: string, regions: readonly Region[]): Region[] {
  const region = regions.find((one) => one.key === key);
  if (!region) return [];
  const above = region.parent === null ? undefined : regions.find((one) => one.key === region.parent && one.level < region.level);
  return above ? [...pathOf(above.key, regions), region] : [region];
}

/** MapLibre wants one pair at least. */
function match(property: string, pairs: [number | string, string][], rest: string): ExpressionSpecification {
  if (!pairs.length) return ["literal", rest] as never;
  return ["match", ["get", property], ...pairs.flat(), rest] as never;
}
