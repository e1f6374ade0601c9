// What the papers are coloured by: their area, or their region where the corpus is all of one area or two.

import type { ExpressionSpecification } from "maplibre-gl";
import type { Region } from "./api.ts";
import { palette } from "./palette.ts";

const FEW = 2;
const GREY = new Set(["other", "unknown"]);

export interface Entry {
  name: string;
  colour: string;
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
  const entries = areas.map((name, index) => ({ name, colour: GREY.has(name) ? rest : (palettes[index] ?? rest) }));
  return { heading: "Areas", entries, expression: match("a", entries.map(({ colour }, index) => [index, colour]), rest) };
}

function byRegion(regions: readonly Region[]): Colours {
  const { areas: palettes, rest } = palette();
  const tops = regions.filter(({ level }) => level === 0).sort((one, other) => other.papers - one.papers);
  const colour = new Map(tops.map(({ key }, index) => [key, palettes[index] ?? rest]));
  const parents = new Map(regions.map(({ key, parent }) => [key, parent]));
  const top = (key: string): string => {
    const parent = parents.get(key);
    return parent ? top(parent) : key;
  };
  return {
    heading: "Regions",
    entries: tops.map(({ key, name }) => ({ name, colour: colour.get(key) ?? rest })),
    expression: match("r", regions.map(({ key }) => [key, colour.get(top(key)) ?? rest]), rest),
  };
}

/** MapLibre wants one pair at least. */
function match(property: string, pairs: [number | string, string][], rest: string): ExpressionSpecification {
  if (!pairs.length) return ["literal", rest] as never;
  return ["match", ["get", property], ...pairs.flat(), rest] as never;
}
