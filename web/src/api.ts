// The documented HTTP API (docs/http-api.md), and nothing else of the server.

import { parseSeconds } from "./format.ts";

export interface Brief {
  id: string;
  title: string | null;
  authors: string[];
  authors_total: number | null;
  year: number | null;
  date: string | null;
  areas: string[];
  citations: number;
  stub: boolean;
  on_map: boolean;
  x: number | null;
  y: number | null;
  region: { key: string; name: string } | null;
  marks: string[];
  reason: string | null;
}

export interface Detail extends Omit<Brief, "authors"> {
  links: { label: string; url: string }[];
  authors: { name: string; orcid: string | null }[];
  abstract: string | null;
  abstract_source: string | null;
  venue: string | null;
  status: string;
  references: Counts & { state: "unknown" | "listed" };
}

export interface Counts {
  declared: number | null;
  parsed: number | null;
  resolved: number | null;
  in_corpus: number | null;
}

export interface References {
  state: "unknown" | "listed";
  counts: Counts;
  items: Brief[];
  total: number | null;
}

export interface Citations {
  items: Brief[];
  total: number;
}

export interface Reason {
  code: string;
  title: string;
  text: string;
  reader: string[];
  operator: string[];
  enough: string | null;
}

export interface Answer {
  query: string;
  paper: Brief | null;
  on_map: boolean;
  x: number | null;
  y: number | null;
  binding: string | null;
  reasons: Reason[];
  passed: { test: string; text: string }[];
  hint: { region: string; name: string; from: string; count: number; total: number } | null;
  candidates: Brief[];
  notes: string[];
  /** `unavailable`: the map's answer alone. Without reasons nothing is known then, not even whether there is such a paper. */
  store: "ok" | "unavailable";
}

export interface Hits {
  results: Brief[];
  truncated: boolean;
  store: "ok" | "unavailable";
  /** Seconds after which the server is worth asking again, where it could say only a part. */
  retry?: number | null;
}

export interface Region {
  key: string;
  name: string;
  level: number;
  parent: string | null;
  x: number;
  y: number;
  papers: number;
}

export interface Atlas {
  build: string;
  data_date: string | null;
  papers: number;
  placed: number;
  unplaced: Record<string, number>;
  areas: string[];
  center: { x: number; y: number; zoom: number };
}

export interface TileJson {
  tiles: string[];
  minzoom: number;
  maxzoom: number;
  atlas: Atlas;
}

/** The server gave no answer, or refused; `message` says so to the reader. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

/** `partly`: a 503 that brings what can be said without the database is an answer all the same. */
async function get<T>(path: string, parameters: Record<string, string> = {}, signal?: AbortSignal, partly = false): Promise<T> {
  const query = new URLSearchParams(parameters).toString();
  let answer: Response;
  try {
    answer = await fetch(query ? `${path}?${query}` : path, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("The server does not answer.");
  }
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => null)) as { detail?: string; title?: string; schema?: string } | null;
    if (partly && answer.status === 503 && problem?.schema) return { ...problem, retry: parseSeconds(answer.headers.get("Retry-After")) } as T;
    throw new Refused(problem?.detail ?? problem?.title ?? `The server answered ${answer.status}.`, answer.status);
  }
  return (await answer.json()) as T;
}

export const tileJson = () => get<TileJson>("/tiles.json");
export const regions = () => get<{ regions: Region[] }>("/api/regions").then((answer) => answer.regions);
export const search = (q: string, signal: AbortSignal) =>
  get<Hits>("/api/search", { q: q.slice(0, 200), limit: "12" }, signal, true);
export const paper = (id: string, signal?: AbortSignal) => get<Detail>("/api/paper", { id }, signal);
export const paperOfBuild = (build: string, n: number, signal?: AbortSignal) =>
  get<Brief>(`/api/builds/${build}/papers/${n}`, {}, signal);
export const references = (id: string, signal?: AbortSignal) => get<References>("/api/references", { id, limit: "100" }, signal);
export const citations = (id: string, signal?: AbortSignal) => get<Citations>("/api/citations", { id, limit: "100" }, signal);
export const why = (q: string, signal?: AbortSignal) => get<Answer>("/api/why", { q: q.slice(0, 200) }, signal);
