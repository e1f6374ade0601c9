// Brings the parts together: one state (the chosen paper), one address, one map.

import "maplibre-gl/dist/maplibre-gl.css";
import * as api from "./api.ts";
import type { Brief, Region, TileJson } from "./api.ts";
import { byId, el } from "./dom.ts";
import { formatHash, parseHash } from "./hash.ts";
import { AtlasMap } from "./map.ts";
import { Panel } from "./panel.ts";
import { startSearch } from "./search.ts";
import { InView, showFacts, showLegend, showWithoutMap } from "./sides.ts";

declare global {
  interface Window {
    /** For tests: the map itself. */
    paperatlas?: { map: AtlasMap["map"] };
  }
}

const REGION_ZOOM = 3;

class Page {
  private chosen: string | null = null;
  private readonly panel: Panel;
  private readonly inView: InView;

  constructor(
    private readonly map: AtlasMap,
    private readonly tiles: TileJson,
    private readonly regions: readonly Region[],
  ) {
    this.panel = new Panel({
      paper: (paper) => void this.choose(paper),
      region: (key) => this.goToRegion(key),
      closed: () => this.forget(),
    });
    this.inView = new InView(map, tiles.atlas.build, (n) => void this.pick(n));
    startSearch({ paper: (paper) => void this.choose(paper), why: (query) => void this.panel.showWhy(query) });
    map.onPick((n) => (n === null ? this.panel.close() : void this.pick(n)));
    map.onMove(() => this.write(false));
    map.onIdle(() => {
      this.inView.update();
      map.remark();
      document.documentElement.dataset["ready"] = "true";
    });
    window.addEventListener("popstate", () => void this.read());
    window.addEventListener("hashchange", () => void this.read());
    void this.read();
  }

  /** Do what the address says. */
  private async read(): Promise<void> {
    const { view, paper } = parseHash(location.hash);
    if (view) this.map.jumpTo(view);
    if (paper === this.chosen) return;
    if (paper === null) return this.panel.close();
    try {
      const answer = await api.why(paper);
      if (answer.paper && !answer.paper.stub) await this.choose(answer.paper, view === null);
      else await this.panel.showWhy(paper);
    } catch (error) {
      notice(error instanceof Error ? error.message : "The paper could not be looked up.", () => void this.read());
    }
  }

  private async pick(n: number): Promise<void> {
    this.map.choose(n);
    try {
      await this.choose(await api.paperOfBuild(this.tiles.atlas.build, n), false, n);
    } catch (error) {
      notice(error instanceof Error ? error.message : "The paper could not be loaded.", () => void this.pick(n));
    }
  }

  private async choose(paper: Brief, fly = true, n: number | null = null): Promise<void> {
    this.chosen = paper.id;
    const shown = this.panel.showPaper(paper);
    if (paper.x !== null && paper.y !== null) {
      if (fly) this.map.flyTo({ x: paper.x, y: paper.y }, { cover: this.panel.cover });
      if (n === null) void this.mark(paper.id);
    } else this.map.choose(null);
    this.write(true);
    await shown;
  }

  /** Find the paper's number, which the map knows it by. */
  private async mark(id: string): Promise<void> {
    const detail = (await api.paper(id).catch(() => null)) as { n?: number | null } | null;
    if (this.chosen === id && typeof detail?.n === "number") this.map.choose(detail.n);
  }

  private forget(): void {
    this.chosen = null;
    this.map.choose(null);
    this.write(false);
  }

  private goToRegion(key: string): void {
    const region = this.regions.find((one) => one.key === key);
    if (region) this.map.flyTo(region, { zoom: REGION_ZOOM + region.level * 0.6, cover: this.panel.cover });
  }

  /** Put the state into the address: a new entry for a new paper, the same one while panning. */
  private write(push: boolean): void {
    const hash = formatHash({ view: this.map.view, paper: this.chosen });
    if (hash === location.hash) return;
    if (push) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash || location.pathname);
  }
}

function notice(text: string, again: () => void): void {
  const box = byId("notice", HTMLParagraphElement);
  box.replaceChildren(`${text} `, el("button", { type: "button", class: "link", click: () => ((box.hidden = true), again()) }, "Try again"));
  box.hidden = false;
}

async function start(): Promise<void> {
  let tiles: TileJson;
  let regions: Region[];
  try {
    [tiles, regions] = await Promise.all([api.tileJson(), api.regions()]);
  } catch (error) {
    return notice(error instanceof Error ? error.message : "The map could not be loaded.", () => void start());
  }
  showFacts(tiles.atlas);
  showLegend(tiles.atlas, regions);
  const container = byId("map", HTMLElement);
  try {
    const map = new AtlasMap(container, tiles, regions, parseHash(location.hash).view);
    window.paperatlas = { map: map.map };
    container.addEventListener("webglcontextlost", () => notice("The graphics card gave up.", () => location.reload()), true);
    new Page(map, tiles, regions);
  } catch {
    showWithoutMap(regions, "This browser cannot draw the map (it has no WebGL).");
    const panel = new Panel({ paper: (paper) => void panel.showPaper(paper), region: () => undefined, closed: () => undefined });
    startSearch({ paper: (paper) => void panel.showPaper(paper), why: (query) => void panel.showWhy(query) });
    document.documentElement.dataset["ready"] = "true";
  }
}

void start();
