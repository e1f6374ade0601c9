// What is drawn over the map for one paper: itself, what it builds on, what builds on it. From the API's coordinates: a tile's
// own points are coarser, and most of these papers are in no tile of the current view.

import type { Feature, FeatureCollection } from "geojson";
import type { Brief } from "./api.ts";
import { arc, toLngLat, type Place } from "./plane.ts";

export type Kind = "chosen" | "cited" | "citing";

export const NOTHING: FeatureCollection = { type: "FeatureCollection", features: [] };

const placed = (paper: Brief): paper is Brief & Place => paper.x !== null && paper.y !== null;

export function overlay(chosen: Brief | null, cited: readonly Brief[], citing: readonly Brief[]): FeatureCollection {
  if (!chosen || !placed(chosen)) return NOTHING;
  const features: Feature[] = [];
  for (const [kind, papers] of [["citing", citing.filter(placed)], ["cited", cited.filter(placed)]] as const) {
    const opacity = faint(papers.length);
    for (const paper of papers) {
      const [from, to] = kind === "cited" ? [chosen, paper] : [paper, chosen];
      features.push(
        { type: "Feature", properties: { kind, opacity }, geometry: { type: "LineString", coordinates: arc(from, to).map(toLngLat) } },
        point(kind, paper),
      );
    }
  }
  return { type: "FeatureCollection", features: [...features, point("chosen", chosen)] };
}

/** The more lines of a kind, the fainter each. */
function faint(lines: number): number {
  return Math.min(0.75, Math.max(0.22, 1.5 / Math.sqrt(lines + 1)));
}

function point(kind: Kind, paper: Brief & Place): Feature {
  return {
    type: "Feature",
    properties: { kind, id: paper.id, title: paper.title ?? paper.id, citations: paper.citations },
    geometry: { type: "Point", coordinates: toLngLat(paper) },
  };
}
