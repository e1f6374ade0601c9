// Starts the page: what the map is, then the map, or what stands in for it.

import "maplibre-gl/dist/maplibre-gl.css";
import "./style.css";
import * as api from "./api.ts";
import type { Region, TileJson } from "./api.ts";
import { showCoverage } from "./coverage.ts";
import { byId } from "./dom.ts";
import { parseHash } from "./hash.ts";
import { showLegend } from "./legend.ts";
import { AtlasMap } from "./map.ts";
import { notice } from "./notice.ts";
import { Page } from "./page.ts";
import { showWithout } from "./without.ts";

declare global {
  interface Window {
    /** For tests: the map itself. */
    paperatlas?: { map: AtlasMap["map"] };
  }
}

async function start(): Promise<void> {
  document.documentElement.dataset["scripts"] = "on";
  let tiles: TileJson;
  let regions: Region[];
  try {
    [tiles, regions] = await Promise.all([api.tileJson(), api.regions()]);
  } catch (error) {
    return notice(error, "The map could not be loaded.", () => void start());
  }
  showCoverage(tiles.atlas);
  const map = draw(tiles, regions);
  showLegend(tiles.atlas, regions, (entry) => map?.restyle({ entry }));
  new Page(map, tiles, regions);
}

function draw(tiles: TileJson, regions: readonly Region[]): AtlasMap | null {
  let map: AtlasMap;
  try {
    map = new AtlasMap(byId("map", HTMLElement), tiles, regions, parseHash(location.hash).view);
  } catch (error) {
    console.warn(error);
    showWithout(regions, "This browser cannot draw the map: it has no WebGL 2.");
    return null;
  }
  window.paperatlas = { map: map.map };
  let withdraw = () => {};
  map.onGraphics((there) => {
    withdraw();
    withdraw = there ? () => {} : showWithout(regions, "The graphics of this browser stopped. The map comes back with them.");
  });
  return map;
}

void start();
