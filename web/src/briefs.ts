// Papers of one build by number, each fetched once: a build never changes.

import * as api from "./api.ts";
import type { Brief } from "./api.ts";

const MOST = 2000;

export class Briefs {
  private readonly known = new Map<number, Promise<Brief>>();

  constructor(private readonly build: string) {}

  get(n: number): Promise<Brief> {
    const known = this.known.get(n);
    if (known) return known;
    if (this.known.size >= MOST) this.known.clear();
    const asked = api.paperOfBuild(this.build, n);
    this.known.set(n, asked);
    asked.catch(() => this.known.delete(n));
    return asked;
  }
}
