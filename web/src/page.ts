// Brings the parts together: one state (the chosen paper), one address, one map or none.

import * as api from "./api.ts";
import type { Brief, Region, TileJson } from "./api.ts";
import { Briefs } from "./briefs.ts";
import { formatHash, parseHash } from "./hash.ts";
import { InView } from "./inview.ts";
import type { AtlasMap, Met } from "./map.ts";
import { notice } from "./notice.ts";
import { NOTHING, overlay } from "./overlay.ts";
import { Panel } from "./panel.ts";
import { startSearch } from "./search.ts";
import { startTip } from "./tip.ts";

const REGION_ZOOMS = [2.2, 3.2, 4.2];

interface How {
  fly: boolean;
  /** Whether the address gets an entry of its own in the history. */
  push: boolean;
}

export class Page {
  private chosen: string | null = null;
  private turn = 0;
  private readonly panel: Panel;
  private readonly briefs: Briefs;

  constructor(
    private readonly map: AtlasMap | null,
    tiles: TileJson,
    private readonly regions: readonly Region[],
  ) {
    this.briefs = new Briefs(tiles.atlas.build);
    this.panel = new Panel(regions, {
      paper: (paper) => this.choose(paper),
      linked: (paper, cited, citing) => this.map?.restyle({ overlay: overlay(paper, cited, citing) }),
      region: (key) => this.goToRegion(key),
      why: (query) => this.ask(query),
      closed: () => this.forget(),
    });
    startSearch({ paper: (paper) => this.choose(paper), why: (query) => this.ask(query) });
    window.addEventListener("popstate", () => void this.read());
    window.addEventListener("hashchange", () => void this.read());
    if (map) this.follow(map);
    else document.documentElement.dataset["ready"] = "true";
    void this.read();
  }

  private follow(map: AtlasMap): void {
    const inView = new InView(map, this.briefs, (n) => void this.pick({ n }));
    startTip(map, this.briefs);
    map.onPick((met) => void this.pick(met));
    map.onMove(() => this.write(false));
    map.onIdle(() => {
      inView.update();
      document.documentElement.dataset["ready"] = "true";
    });
  }

  /** Do what the address says. */
  private async read(): Promise<void> {
    const { view, paper } = parseHash(location.hash);
    const known = paper === this.chosen;
    this.chosen = paper; // before it moves: the end of a move writes the address
    if (view) this.map?.jumpTo(view);
    if (known) return;
    const turn = ++this.turn;
    if (paper === null) return this.panel.close();
    try {
      const answer = await api.why(paper);
      if (turn !== this.turn) return;
      if (answer.paper && !answer.paper.stub) this.choose(answer.paper, { fly: view === null, push: false });
      else this.ask(paper);
    } catch (error) {
      if (turn === this.turn) notice(error, "The paper could not be looked up.", () => ((this.chosen = null), void this.read()));
    }
  }

  private async pick(met: Met): Promise<void> {
    const turn = ++this.turn;
    if (!met) return this.panel.close();
    try {
      const paper = "n" in met ? await this.briefs.get(met.n) : await api.why(met.id).then((answer) => answer.paper);
      if (turn !== this.turn) return;
      if (paper) this.choose(paper, { fly: false, push: true });
      else if ("id" in met) this.ask(met.id);
    } catch (error) {
      if (turn === this.turn) notice(error, "The paper could not be loaded.", () => void this.pick(met));
    }
  }

  private choose(paper: Brief, { fly, push }: How = { fly: true, push: true }): void {
    this.turn++;
    this.chosen = paper.id;
    this.map?.restyle({ overlay: overlay(paper, [], []) });
    void this.panel.showPaper(paper);
    this.write(push); // before it moves: the end of a move only rewrites the entry
    if (fly && paper.x !== null && paper.y !== null) this.map?.flyTo({ x: paper.x, y: paper.y }, { cover: this.panel.cover });
  }

  private ask(query: string): void {
    this.turn++;
    this.forget();
    void this.panel.showWhy(query);
  }

  private forget(): void {
    this.chosen = null;
    this.map?.restyle({ overlay: NOTHING });
    this.write(false);
  }

  private goToRegion(key: string): void {
    const region = this.regions.find((one) => one.key === key);
    if (region) this.map?.flyTo(region, { zoom: REGION_ZOOMS[region.level] ?? REGION_ZOOMS[0]!, cover: this.panel.cover });
  }

  /** Put the state into the address: a new entry for a new paper, the same one while panning. */
  private write(push: boolean): void {
    const hash = formatHash({ view: this.map?.view ?? null, paper: this.chosen });
    if (hash === location.hash) return;
    if (push) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash || location.pathname);
  }
}
