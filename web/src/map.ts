// The map itself: moving, hovering, showing. It knows papers by their number in the build, and places by map units.

import { LngLat, Map as MapLibre, NavigationControl, setWorkerUrl, type IControl, type MapGeoJSONFeature, type Point } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?url";
import type { Region, TileJson } from "./api.ts";
import { el } from "./dom.ts";
import type { View } from "./hash.ts";
import { LINKS, PAPERS, SOURCE, style, type Look } from "./layers.ts";
import { NOTHING } from "./overlay.ts";
import { onSchemeChange } from "./palette.ts";
import { firstView, toLngLat, toPlace, wholeZoom, type Place } from "./plane.ts";

setWorkerUrl(workerUrl);

/** Zooms beyond the last one that has tiles: there the 4096 places of a tile are two pixels apart. */
const OVERZOOM = 4;
const CLOSE = 4.2;
const REACH = 5;

/** What a tile says of a paper. */
export interface Seen {
  n: number;
  title: string | null;
  citations: number;
  year: number | null;
}

/** A click met a paper of the tiles, one that is drawn over them, or none. */
export type Met = { n: number } | { id: string } | null;

export class AtlasMap {
  readonly map: MapLibre;
  private look: Look = { overlay: NOTHING, entry: null };
  /** Before the first style is there, another one would replace it as a whole. */
  private ready = false;
  private waits = false;
  private lit: number | null = null;

  constructor(
    private readonly container: HTMLElement,
    private readonly tiles: TileJson,
    private readonly regions: readonly Region[],
    view: View | null,
  ) {
    const first = view ?? this.home;
    this.map = new MapLibre({
      container,
      style: style(tiles, regions, this.look),
      center: toLngLat(first),
      zoom: first.zoom,
      minZoom: Math.min(0, wholeZoom(container.clientWidth, container.clientHeight)) - 0.5,
      maxZoom: tiles.maxzoom + OVERZOOM,
      zoomLevelsToOverscale: 0,
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
    this.map.addControl(new Home(() => this.goHome()), "bottom-right");
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    void this.map.once("style.load", () => {
      this.ready = true;
      if (this.waits) this.restyle({});
    });
    onSchemeChange(() => this.restyle({}));
  }

  get view(): View {
    const { lng, lat } = this.map.getCenter();
    return { zoom: this.map.getZoom(), ...toPlace(lng, lat) };
  }

  /** The number of the paper under the pointer. */
  get hovered(): number | null {
    return this.lit;
  }

  onMove(act: () => void): void {
    this.map.on("moveend", act);
  }

  onIdle(act: () => void): void {
    this.map.on("idle", act);
  }

  onPick(act: (met: Met) => void): void {
    this.map.on("click", (event) => {
      const found = this.nearest(event.point);
      const id: unknown = found?.properties["id"];
      act(found?.layer.id === LINKS && typeof id === "string" ? { id } : typeof found?.id === "number" ? { n: found.id } : null);
    });
  }

  onHover(act: (paper: Seen | null, at: { x: number; y: number }) => void): void {
    const met = (feature: MapGeoJSONFeature | undefined, at: { x: number; y: number }) => {
      const paper = feature?.layer.id === PAPERS ? seen(feature) : null;
      this.map.getCanvas().style.cursor = feature ? "pointer" : "";
      if ((paper?.n ?? null) === this.lit) return;
      this.light(paper?.n ?? null);
      act(paper, at);
    };
    this.map.on("mousemove", (event) => met(this.map.isMoving() ? undefined : this.nearest(event.point), event.point));
    this.map.on("mouseout", (event) => met(undefined, event.point));
  }

  /** The graphics were taken away, or came back. */
  onGraphics(act: (there: boolean) => void): void {
    this.map.on("webglcontextlost", () => act(false));
    this.map.on("webglcontextrestored", () => act(true));
  }

  /** Go to a place that the API gave; a tile's own points are coarser. `cover` is what lies over the map's right and lower edge. */
  flyTo(place: Place, { cover = [0, 0], zoom }: { cover?: [number, number]; zoom?: number } = {}): void {
    const close = Math.min(zoom ?? Math.max(this.map.getZoom(), CLOSE), this.tiles.maxzoom + OVERZOOM);
    this.map.flyTo({ center: toLngLat(place), zoom: close, offset: [-cover[0] / 2, -cover[1] / 2], speed: 1.6, maxDuration: 2500 });
  }

  goHome(): void {
    const { zoom, ...place } = this.home;
    this.map.flyTo({ center: toLngLat(place), zoom, speed: 1.6, maxDuration: 2000 });
  }

  jumpTo(view: View): void {
    this.map.jumpTo({ center: toLngLat(view), zoom: view.zoom });
  }

  /** Draw something else over the papers, or let other papers stand out. */
  restyle(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    if (this.ready) this.map.setStyle(style(this.tiles, this.regions, this.look));
    else this.waits = true;
  }

  /** The papers drawn now, most cited first, each once. */
  inView(): Seen[] {
    const found = new Map<number, Seen>();
    for (const feature of this.map.queryRenderedFeatures({ layers: [PAPERS] })) {
      const paper = seen(feature);
      if (paper) found.set(paper.n, paper);
    }
    return [...found.values()].sort((one, other) => other.citations - one.citations || one.n - other.n);
  }

  /** Let one paper of the tiles shine, or none. */
  light(n: number | null): void {
    this.mark(this.lit, false);
    this.lit = n;
    this.mark(n, true);
  }

  private get home(): View {
    return firstView(this.tiles.atlas.center, this.container.clientWidth, this.container.clientHeight);
  }

  private nearest({ x, y }: Point): MapGeoJSONFeature | undefined {
    if (!this.map.getLayer(PAPERS)) return undefined;
    const found = this.map.queryRenderedFeatures([[x - REACH, y - REACH], [x + REACH, y + REACH]], { layers: [LINKS, PAPERS] });
    const distance = (feature: MapGeoJSONFeature): number => {
      if (feature.geometry.type !== "Point") return Infinity;
      const [lng = 0, lat = 0] = feature.geometry.coordinates;
      const at = this.map.project([lng, lat]);
      return Math.hypot(at.x - x, at.y - y) + (feature.layer.id === LINKS ? 0 : 1);
    };
    return found.sort((one, other) => distance(one) - distance(other))[0];
  }

  private mark(n: number | null, lit: boolean): void {
    if (n !== null && this.map.getSource(SOURCE)) this.map.setFeatureState({ source: SOURCE, sourceLayer: "papers", id: n }, { lit });
  }
}

/** A button below those of the zoom: the whole map. */
class Home implements IControl {
  private box: HTMLElement | null = null;

  constructor(private readonly act: () => void) {}

  onAdd(): HTMLElement {
    const button = el("button", { type: "button", class: "home", title: "Whole map", "aria-label": "Whole map", click: this.act });
    return (this.box = el("div", { class: "maplibregl-ctrl maplibregl-ctrl-group" }, button));
  }

  onRemove(): void {
    this.box?.remove();
  }
}

/** The nearest point of the plane: unlike the default, the map may be smaller than the window. */
function inside({ lng, lat }: LngLat): LngLat {
  const [west, north] = toLngLat({ x: 0, y: 0 });
  const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return new LngLat(clamp(lng, -west), clamp(lat, north));
}

function seen({ id, properties }: MapGeoJSONFeature): Seen | null {
  const { t, c, y } = properties;
  if (typeof id !== "number") return null;
  return {
    n: id,
    title: typeof t === "string" ? t : null,
    citations: typeof c === "number" ? c : 0,
    year: typeof y === "number" ? y : null,
  };
}
