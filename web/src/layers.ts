// The style of the map: backdrop, papers, titles, names of regions. No glyphs: MapLibre draws the text with the page's fonts.

import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from "maplibre-gl";
import type { Region, TileJson } from "./api.ts";
import { coloursOf } from "./colours.ts";
import { palette } from "./palette.ts";

export const SOURCE = "atlas";
export const PAPERS = "papers";
const SERIF = ["Georgia, 'Noto Serif', 'DejaVu Serif', serif"];
const SANS = ["system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif"];

/** Zooms at which the names of each level of regions stand, and their size there. */
const LEVELS = [
  { from: -2, to: 3.4, size: [0, 15, 3, 22], caps: true },
  { from: 1.5, to: 5, size: [1.5, 13, 5, 17], caps: false },
  { from: 2.9, to: 24, size: [3, 11, 7, 15], caps: false },
] as const;

export function style(tiles: TileJson, regions: readonly Region[]): StyleSpecification {
  const colours = palette();
  return {
    version: 8,
    sources: {
      [SOURCE]: {
        type: "vector",
        tiles: tiles.tiles.map((tile) => here(tile)),
        minzoom: tiles.minzoom,
        maxzoom: tiles.maxzoom,
      },
    },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": colours.sea } },
      ...backdrop(tiles.maxzoom),
      ...papers(coloursOf(tiles.atlas.areas, regions).expression, sizeOf(tiles.atlas.placed)),
      ...regionNames(),
      titles(),
    ],
  };
}

/** The same path on the host that this page came from: the server may know itself by another name. */
function here(tile: string): string {
  const path = tile.replace(/^https?:\/\/[^/]+/, "");
  return `${location.origin}${path}`;
}

function backdrop(maxzoom: number): LayerSpecification[] {
  const { land } = palette();
  const fade: ExpressionSpecification = ["interpolate", ["linear"], ["zoom"], Math.min(4, maxzoom + 2), 1, Math.min(5.5, maxzoom + 4), 0.55];
  return land.map((colour, level) => ({
    id: `land-${level}`,
    type: "fill",
    source: SOURCE,
    "source-layer": "density",
    filter: ["==", ["get", "level"], level],
    paint: { "fill-color": colour, "fill-antialias": level === 0, "fill-opacity": fade },
  }));
}

/** Few papers are drawn larger: 1.7 times for 600, 1 from 10,000 on. */
function sizeOf(placed: number): number {
  return Math.min(1.8, Math.max(1, 1 + 0.6 * Math.log10(10_000 / Math.max(placed, 1))));
}

function papers(colour: ExpressionSpecification, size: number): LayerSpecification[] {
  const colours = palette();
  const weight: ExpressionSpecification = ["ln", ["+", 1, ["get", "c"]]];
  const radius = (factor: number): ExpressionSpecification => ["*", factor * size, ["+", 1.5, ["*", 0.55, weight]]];
  const lit: ExpressionSpecification = ["boolean", ["feature-state", "lit"], false];
  const chosen: ExpressionSpecification = ["boolean", ["feature-state", "chosen"], false];
  return [
    {
      id: PAPERS,
      type: "circle",
      source: SOURCE,
      "source-layer": "papers",
      layout: { "circle-sort-key": ["get", "c"] },
      paint: {
        "circle-color": ["case", chosen, colours.accent, colour],
        "circle-radius": ["interpolate", ["exponential", 1.4], ["zoom"], -1, radius(0.6), 2, radius(1.05), 5, radius(1.8), 9, radius(3)],
        "circle-opacity": ["case", ["any", lit, chosen], 1, 0.82],
        "circle-stroke-width": ["case", chosen, 3, lit, 2, 0.6],
        "circle-stroke-color": ["case", chosen, colours.ink, lit, colours.ink, colours.rim],
      },
    },
  ];
}

function titles(): LayerSpecification {
  const colours = palette();
  return {
    id: "titles",
    type: "symbol",
    source: SOURCE,
    "source-layer": "papers",
    minzoom: 2.4,
    filter: ["has", "t"],
    layout: {
      "text-field": ["get", "t"],
      "text-font": SANS,
      "text-size": ["interpolate", ["linear"], ["zoom"], 2.5, 10.5, 6, 12.5],
      "text-max-width": 14,
      "text-variable-anchor": ["left", "right", "top", "bottom"],
      "text-radial-offset": 0.7,
      "text-justify": "auto",
      "text-padding": ["interpolate", ["linear"], ["zoom"], 2.5, 16, 5, 3],
      "symbol-sort-key": ["-", ["get", "c"]],
    },
    paint: { "text-color": colours.ink, "text-halo-color": colours.halo, "text-halo-width": 1.4, "text-opacity": 0.92 },
  };
}

/** `First / second` as a line and a smaller line below it. */
function twoLines(name: ExpressionSpecification): ExpressionSpecification {
  const at: ExpressionSpecification = ["index-of", " / ", name];
  const split: ExpressionSpecification = ["format", ["slice", name, 0, at], {}, "\n", {}, ["slice", name, ["+", at, 3]], { "font-scale": 0.78 }];
  return ["case", ["<", at, 0], ["format", name, {}], split];
}

function regionNames(): LayerSpecification[] {
  const colours = palette();
  return LEVELS.map(({ from, to, size, caps }, level) => ({
    id: `regions-${level}`,
    type: "symbol",
    source: SOURCE,
    "source-layer": "regions",
    minzoom: Math.max(0, from),
    maxzoom: to,
    filter: ["==", ["get", "level"], level],
    layout: {
      "text-field": twoLines(caps ? ["upcase", ["get", "name"]] : ["get", "name"]),
      "text-font": SERIF,
      "text-size": ["interpolate", ["linear"], ["zoom"], ...size] as never,
      "text-letter-spacing": caps ? 0.14 : 0.02,
      "text-max-width": 9,
      "text-line-height": 1.25,
      "text-padding": 6,
      "symbol-sort-key": ["-", ["get", "papers"]],
    },
    paint: {
      "text-color": colours.region,
      "text-halo-color": colours.halo,
      "text-halo-width": 1.8,
      "text-opacity": level === 0 ? 0.95 : 0.9,
    },
  }));
}
