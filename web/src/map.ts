// The map itself: moving, hovering, choosing. It knows papers by their number in the build, and places by map units.

import { LngLat, Map as MapLibre, NavigationControl, setWorkerUrl, type MapGeoJSONFeature, type MapMouseEvent } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?url";
import type { Region, TileJson } from "./api.ts";
import type { View } from "./hash.ts";
import { PAPERS, SOURCE, style } from "./layers.ts";
import { onSchemeChange } from "./palette.ts";
import { toLngLat, toPlace, type Place } from "./plane.ts";

setWorkerUrl(workerUrl);

const OVERZOOM = 4;
const CLOSE = 4.2;
const REACH = 5;

export interface Seen {
  n: number;
  title: string | null;
  citations: number;
  year: number | null;
  area: number;
}

export class AtlasMap {
  readonly map: MapLibre;
  private lit: number | null = null;
  private chosen: number | null = null;

  constructor(
    container: HTMLElement,
    private readonly tiles: TileJson,
    regions: readonly Region[],
    view: View | null,
  ) {
    this.map = new MapLibre({
      container,
      style: style(tiles, regions),
      center: toLngLat(view ?? tiles.atlas.center),
      zoom: view?.zoom ?? this.wholeZoom(container),
      minZoom: Math.min(0, this.wholeZoom(container)) - 0.5,
      maxZoom: tiles.maxzoom + OVERZOOM,
      renderWorldCopies: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      attributionControl: false,
      fadeDuration: 120,
      locale: { "Map.Title": "Map of papers" },
      transformConstrain: (lngLat, zoom) => ({ center: inside(lngLat), zoom }),
    });
    this.map.addControl(new NavigationControl({ showCompass: false }), "bottom-right");
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.map.on("mousemove", (event) => this.hover(this.at(event)));
    this.map.on("mouseout", () => this.hover(undefined));
    onSchemeChange(() => this.map.setStyle(style(tiles, regions)));
  }

  /** The zoom at which the whole map fits; a tile is 512 pixels wide at zoom 0. */
  private wholeZoom(container: HTMLElement): number {
    const side = Math.min(container.clientWidth, container.clientHeight) || 512;
    return Math.log2(side / 512);
  }

  get view(): View {
    const { lng, lat } = this.map.getCenter();
    return { zoom: this.map.getZoom(), ...toPlace(lng, lat) };
  }

  onMove(act: () => void): void {
    this.map.on("moveend", act);
  }

  onIdle(act: () => void): void {
    this.map.on("idle", act);
  }

  onPick(act: (n: number | null) => void): void {
    this.map.on("click", (event) => act(this.at(event)?.id as number | undefined ?? null));
  }

  /** Go to a place that the API gave; a tile's own points are coarser. `cover` is what lies over the map's right and lower edge. */
  flyTo(place: Place, { cover = [0, 0], zoom }: { cover?: [number, number]; zoom?: number } = {}): void {
    const close = Math.min(zoom ?? Math.max(this.map.getZoom(), CLOSE), this.tiles.maxzoom + OVERZOOM);
    this.map.flyTo({ center: toLngLat(place), zoom: close, offset: [-cover[0] / 2, -cover[1] / 2], speed: 1.6, maxDuration: 2500 });
  }

  jumpTo(view: View): void {
    this.map.jumpTo({ center: toLngLat(view), zoom: view.zoom });
  }

  /** Mark one paper as chosen, or none. */
  choose(n: number | null): void {
    this.mark(this.chosen, "chosen", false);
    this.chosen = n;
    this.mark(n, "chosen", true);
  }

  /** Mark again after the tiles were drawn anew. */
  remark(): void {
    this.mark(this.chosen, "chosen", true);
  }

  /** The papers drawn now, most cited first, each once. */
  inView(): Seen[] {
    const found = new Map<number, Seen>();
    for (const feature of this.map.queryRenderedFeatures({ layers: [PAPERS] })) {
      if (typeof feature.id === "number") found.set(feature.id, seen(feature.id, feature));
    }
    return [...found.values()].sort((one, other) => other.citations - one.citations || one.n - other.n);
  }

  hoverNumber(n: number | null): void {
    this.mark(this.lit, "lit", false);
    this.lit = n;
    this.mark(n, "lit", true);
  }

  private hover(feature: MapGeoJSONFeature | undefined): void {
    const n = typeof feature?.id === "number" ? feature.id : null;
    if (n === this.lit) return;
    this.hoverNumber(n);
    this.map.getCanvas().style.cursor = n === null ? "" : "pointer";
    this.map.getCanvas().title = typeof feature?.properties["t"] === "string" ? feature.properties["t"] : "";
  }

  private at(event: MapMouseEvent): MapGeoJSONFeature | undefined {
    const { x, y } = event.point;
    const found = this.map.queryRenderedFeatures([[x - REACH, y - REACH], [x + REACH, y + REACH]], { layers: [PAPERS] });
    const distance = (feature: MapGeoJSONFeature): number => {
      if (feature.geometry.type !== "Point") return Infinity;
      const [lng = 0, lat = 0] = feature.geometry.coordinates;
      const at = this.map.project([lng, lat]);
      return Math.hypot(at.x - x, at.y - y);
    };
    return found.sort((one, other) => distance(one) - distance(other))[0];
  }

  private mark(n: number | null, state: "lit" | "chosen", on: boolean): void {
    if (n !== null && this.map.getSource(SOURCE)) this.map.setFeatureState({ source: SOURCE, sourceLayer: "papers", id: n }, { [state]: on });
  }
}

/** The nearest point of the plane: unlike the default, the map may be smaller than the window. */
function inside({ lng, lat }: LngLat): LngLat {
  const [west, north] = toLngLat({ x: 0, y: 0 });
  const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return new LngLat(clamp(lng, -west), clamp(lat, north));
}

function seen(n: number, feature: MapGeoJSONFeature): Seen {
  const { t, c, y, a } = feature.properties;
  return {
    n,
    title: typeof t === "string" ? t : null,
    citations: typeof c === "number" ? c : 0,
    year: typeof y === "number" ? y : null,
    area: typeof a === "number" ? a : -1,
  };
}
