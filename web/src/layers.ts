// The style of the map: sea and land, papers, what is drawn over them, titles, names of regions.
// No glyphs: MapLibre draws the text with the page's fonts.

import type { ExpressionSpecification as Expression, FilterSpecification, LayerSpecification, StyleSpecification } from "maplibre-gl";
import type { FeatureCollection } from "geojson";
import type { Region, TileJson } from "./api.ts";
import { coloursOf } from "./colours.ts";
import { mixed, palette } from "./palette.ts";

export const SOURCE = "atlas";
export const PAPERS = "papers";
export const LINKS = "linked";
const OVERLAY = "overlay";

/** MapLibre takes slant and weight from the first name of a list, which need not exist. */
const FACES = "'Iowan Old Style', 'Palatino Linotype', Palatino, P052, Georgia, 'Noto Serif', 'DejaVu Serif', serif";
const SERIF = [FACES];
const ITALIC = [`Atlas Italic, ${FACES}`];
const SANS = ["system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif"];
const SANS_BOLD = ["Atlas Bold, system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif"];
const TITLE_MOST = 64;
/** In the last two zooms of the tiles all papers carry titles: too many to lay out, and few would find room. */
const CITED = 2;

/** What the style depends on besides the map itself. */
export interface Look {
  overlay: FeatureCollection;
  /** Index of the entry of the legend that stands out; null where none does. */
  entry: number | null;
}

export function style(tiles: TileJson, regions: readonly Region[], look: Look): StyleSpecification {
  const { expression, entries } = coloursOf(tiles.atlas.areas, regions);
  const only = look.entry === null ? null : (entries[look.entry]?.of ?? null);
  const size = sizeOf(tiles.atlas.placed);
  return {
    version: 8,
    sources: {
      [SOURCE]: { type: "vector", tiles: tiles.tiles.map(here), minzoom: tiles.minzoom, maxzoom: tiles.maxzoom },
      [OVERLAY]: { type: "geojson", data: look.overlay, tolerance: 0.1 },
    },
    layers: [
      sea(tiles.maxzoom),
      ...backdrop(tiles.maxzoom),
      lines(),
      papers(expression, size, only, look.overlay.features.length > 1),
      points(size),
      titles(tiles.maxzoom, chosenOf(look.overlay)),
      ...regionNames(tiles.maxzoom),
      chosenTitle(size),
    ],
  };
}

/** The same path on the host that this page came from: the server may know itself by another name. */
function here(tile: string): string {
  return `${location.origin}${tile.replace(/^https?:\/\/[^/]+/, "")}`;
}

/** How large the map is, from 0 (hundreds of papers, tiles to zoom 1) to 1 (a million, to zoom 8). */
function extent(maxzoom: number): number {
  return Math.min(1, Math.max(0, (maxzoom - 1) / 7));
}

/** The last zoom whose tiles hold the backdrop. */
const LAND_MOST = 4;

/** On a large map the land ends with its tiles: from there on all is land, for there is no coast to see. */
function sea(maxzoom: number): LayerSpecification {
  const { sea: colour, land } = palette();
  const grounded: Expression = ["interpolate", ["linear"], ["zoom"], LAND_MOST, colour, LAND_MOST + 0.9, land[1] ?? colour];
  return { id: "sea", type: "background", paint: { "background-color": maxzoom > LAND_MOST ? grounded : colour } };
}

function backdrop(maxzoom: number): LayerSpecification[] {
  const { land, shore, coast } = palette();
  const ends = maxzoom > LAND_MOST;
  const fade: Expression | number = ends ? ["interpolate", ["linear"], ["zoom"], LAND_MOST, 1, LAND_MOST + 0.9, 0] : 1;
  const calm = (colour: string): Expression => ["interpolate", ["linear"], ["zoom"], maxzoom + 1, colour, maxzoom + 4, mixed(colour, land[1] ?? colour)];
  const level = (index: number): FilterSpecification => ["==", ["get", "level"], index];
  const outline = { type: "line", source: SOURCE, "source-layer": "density", filter: level(0), layout: { "line-join": "round" } } as const;
  const width = (factor: number): Expression => ["interpolate", ["exponential", 1.5], ["zoom"], -1, 5 * factor, 2, 13 * factor, 6, 34 * factor];
  return [
    ...shore.map(
      (colour, index): LayerSpecification => ({
        ...outline,
        id: `shore-${index}`,
        paint: { "line-color": colour, "line-width": width(index ? 1 : 2.1), "line-opacity": fade },
      }),
    ),
    ...land.map(
      (colour, index): LayerSpecification => ({
        id: `land-${index}`,
        type: "fill",
        source: SOURCE,
        "source-layer": "density",
        filter: level(index),
        paint: { "fill-color": calm(colour), "fill-antialias": false, "fill-opacity": fade },
      }),
    ),
    { ...outline, id: "coast", paint: { "line-color": coast, "line-width": 0.8, "line-opacity": fade } },
  ];
}

/** Few papers are drawn larger: 1.7 times for 600, 1 for 10,000, 0.75 from 26,000 on. */
function sizeOf(placed: number): number {
  return Math.min(1.8, Math.max(0.75, 1 + 0.6 * Math.log10(10_000 / Math.max(placed, 1))));
}

/** The radius of a paper in pixels; its citations are the attribute `property`. */
function radius(property: string, size: number, more = 0): Expression {
  const weight: Expression = ["+", 1.5, ["*", 0.55, ["ln", ["+", 1, ["get", property]]]]];
  const at = (factor: number): Expression => ["+", more, ["*", factor * size, weight]];
  return ["interpolate", ["exponential", 1.4], ["zoom"], -1, at(0.6), 2, at(1.05), 5, at(1.8), 9, at(3)];
}

function papers(colour: Expression, size: number, only: Expression | null, linked: boolean): LayerSpecification {
  const { ink, rim } = palette();
  const lit: Expression = ["boolean", ["feature-state", "lit"], false];
  const rest: Expression | number = only ? ["case", only, 0.95, 0.1] : linked ? 0.38 : 0.85;
  const opacity: Expression = ["case", lit, 1, rest];
  return {
    id: PAPERS,
    type: "circle",
    source: SOURCE,
    "source-layer": "papers",
    layout: { "circle-sort-key": ["get", "c"] },
    paint: {
      "circle-color": colour,
      "circle-radius": radius("c", size),
      "circle-opacity": opacity,
      "circle-opacity-transition": { duration: 0 },
      "circle-stroke-width": ["case", lit, 2, 0.6],
      "circle-stroke-color": ["case", lit, ink, rim],
      "circle-stroke-opacity": opacity,
      "circle-stroke-opacity-transition": { duration: 0 },
    },
  };
}

const byKind = (of: Record<"chosen" | "cited" | "citing", string>): Expression =>
  ["match", ["get", "kind"], "chosen", of.chosen, "cited", of.cited, of.citing];

/**
 * Layers of the overlay are the same for every paper, whatever is drawn: where data and style of one source change at once,
 * MapLibre may look up a feature of the new tile in the old one.
 */
function lines(): LayerSpecification {
  const { accent, cited, citing } = palette();
  return {
    id: "links",
    type: "line",
    source: OVERLAY,
    filter: ["==", ["geometry-type"], "LineString"],
    layout: { "line-cap": "round" },
    paint: {
      "line-color": byKind({ chosen: accent, cited, citing }),
      "line-width": ["interpolate", ["linear"], ["zoom"], 0, 0.9, 5, 1.6],
      "line-opacity": ["get", "opacity"],
    },
  };
}

function points(size: number): LayerSpecification {
  const { accent, cited, citing, ink, rim } = palette();
  const chosen: Expression = ["==", ["get", "kind"], "chosen"];
  return {
    id: LINKS,
    type: "circle",
    source: OVERLAY,
    filter: ["==", ["geometry-type"], "Point"],
    paint: {
      "circle-color": byKind({ chosen: accent, cited, citing }),
      "circle-radius": radius("citations", size, 1),
      "circle-stroke-width": ["case", chosen, 3, 1],
      "circle-stroke-color": ["case", chosen, ink, rim],
    },
  };
}

/** A title, cut between words at a length that stands in three lines. */
function shortened(property: string): Expression {
  const text: Expression = ["get", property];
  const space: Expression = ["index-of", " ", text, TITLE_MOST - 14];
  const cut = (at: Expression | number): Expression => ["concat", ["slice", text, 0, at], "…"];
  const fits: Expression = ["<=", ["length", text], TITLE_MOST];
  return ["case", fits, text, ["all", [">", space, 0], ["<", space, TITLE_MOST]], cut(space), cut(TITLE_MOST - 4)];
}

/** The title of the chosen paper, which is drawn larger by a layer of its own. */
function chosenOf({ features }: FeatureCollection): string {
  const title: unknown = features.at(-1)?.properties?.["title"];
  return typeof title === "string" ? title : "";
}

function titles(maxzoom: number, chosen: string): LayerSpecification {
  const { ink, halo } = palette();
  const from = 2.4 + 1.1 * extent(maxzoom);
  return {
    id: "titles",
    type: "symbol",
    source: SOURCE,
    "source-layer": "papers",
    minzoom: from,
    filter: ["all", ["has", "t"], ["any", ["<", ["zoom"], maxzoom - 1], [">", ["zoom"], maxzoom], [">=", ["get", "c"], CITED]]],
    layout: {
      "text-field": shortened("t"),
      "text-font": SANS,
      "text-size": ["interpolate", ["linear"], ["zoom"], from, 10.5, from + 3.5, 12.5],
      "text-max-width": 13,
      "text-line-height": 1.15,
      "text-variable-anchor": ["left", "right", "top", "bottom"],
      "text-radial-offset": 0.75,
      "text-justify": "auto",
      "text-padding": ["interpolate", ["linear"], ["zoom"], from, 18, from + 2.5, 4],
      "symbol-sort-key": ["-", ["get", "c"]],
    },
    paint: { "text-color": ink, "text-halo-color": halo, "text-halo-width": 1.5, "text-opacity": ["case", ["==", ["get", "t"], chosen], 0, 0.9] },
  };
}

function chosenTitle(size: number): LayerSpecification {
  const { ink, halo } = palette();
  return {
    id: "chosen-title",
    type: "symbol",
    source: OVERLAY,
    filter: ["all", ["==", ["geometry-type"], "Point"], ["==", ["get", "kind"], "chosen"]],
    layout: {
      "text-field": shortened("title"),
      "text-font": SANS_BOLD,
      "text-size": 13,
      "text-max-width": 14,
      "text-variable-anchor": ["left", "right", "top", "bottom"],
      "text-radial-offset": 0.9 + 0.2 * size,
      "text-justify": "auto",
      "text-allow-overlap": true,
    },
    paint: { "text-color": ink, "text-halo-color": halo, "text-halo-width": 2 },
  };
}

/** `First / second` as a line and a smaller line below it. */
function twoLines(name: Expression): Expression {
  const at: Expression = ["index-of", " / ", name];
  const split: Expression = ["format", ["slice", name, 0, at], {}, "\n", {}, ["slice", name, ["+", at, 3]], { "font-scale": 0.78 }];
  return ["case", ["<", at, 0], ["format", name, {}], split];
}

/** Zooms at which the names of each level stand, and their size there; on larger maps later. */
function levels(maxzoom: number) {
  const late = extent(maxzoom);
  return [
    { from: -2, to: 3.4 + 1.6 * late, low: 11, high: 22, font: SERIF, spacing: 0.16, caps: true },
    { from: 1 + 0.8 * late, to: 4.6 + 2.4 * late, low: 14, high: 18, font: ITALIC, spacing: 0.03, caps: false },
    { from: 2.6 + 1.9 * late, to: 24, low: 12, high: 15.5, font: ITALIC, spacing: 0.01, caps: false },
  ];
}

/** The finest first: what is drawn last is placed first, so a coarse name yields to none. */
function regionNames(maxzoom: number): LayerSpecification[] {
  const { region, halo } = palette();
  const names = levels(maxzoom).map(({ from, to, low, high, font, spacing, caps }, level): LayerSpecification => {
    const [start, end] = [Math.max(from, -1), Math.min(to, Math.max(from, -1) + 4)];
    const goes: Expression = ["interpolate", ["linear"], ["zoom"], to - 0.6, 1, to, 0];
    return {
      id: `regions-${level}`,
      type: "symbol",
      source: SOURCE,
      "source-layer": "regions",
      minzoom: Math.max(0, from),
      maxzoom: to,
      filter: ["==", ["get", "level"], level],
      layout: {
        "text-field": twoLines(caps ? ["upcase", ["get", "name"]] : ["get", "name"]),
        "text-font": font,
        "text-size": ["interpolate", ["linear"], ["zoom"], start, low, end, high],
        "text-letter-spacing": spacing,
        "text-max-width": caps ? 10 : 9,
        "text-line-height": 1.2,
        "text-padding": 5,
        "symbol-sort-key": ["-", ["get", "papers"]],
      },
      paint: {
        "text-color": region,
        "text-halo-color": halo,
        "text-halo-width": 2.2,
        "text-opacity": to < 24 ? goes : 1,
      },
    };
  });
  return names.reverse();
}
