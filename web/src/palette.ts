// Colours. The twelve of areas are told apart by people with any common colour blindness: the eight of Okabe and Ito (2008),
// and four lighter or darker ones that differ from them in lightness too.

export interface Palette {
  sea: string;
  /** Water along the coast, outermost first. */
  shore: string[];
  coast: string;
  /** Land, faintest density first. */
  land: string[];
  ink: string;
  halo: string;
  region: string;
  accent: string;
  /** Works that the chosen paper builds on, and papers that build on it. */
  cited: string;
  citing: string;
  rim: string;
  areas: string[];
  rest: string;
}

const LIGHT: Palette = {
  sea: "#eef1f0",
  shore: ["#e6ecec", "#dde6e6"],
  coast: "#b9c2b3",
  land: ["#f1f0e3", "#e9ead8", "#dfe3cc", "#d4dbc0", "#c8d2b3", "#bbc8a6"],
  ink: "#1d2733",
  halo: "#f6f5ec",
  region: "#333d35",
  accent: "#b3412e",
  cited: "#b3412e",
  citing: "#1f5f86",
  rim: "#fdfcf8",
  areas: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a3b8f", "#8c510a", "#1b4f4a", "#c44e52", "#4a5a9a", "#6b8e23"],
  rest: "#8a8f94",
};

const DARK: Palette = {
  sea: "#14181d",
  shore: ["#161b20", "#182024"],
  coast: "#3a4645",
  land: ["#20282a", "#252e2e", "#2a3533", "#303d38", "#36453e", "#3d4e45"],
  ink: "#e8e6e1",
  halo: "#171c20",
  region: "#d6decf",
  accent: "#ff8a70",
  cited: "#ff8a70",
  citing: "#86c5ea",
  rim: "#14181d",
  areas: ["#4aa8e0", "#ff9147", "#3ccfa0", "#e8a3cb", "#e6c04a", "#8fd0f5", "#b98ad0", "#cf9a5b", "#6fb3ab", "#f08a8d", "#98a7e6", "#a9c957"],
  rest: "#8d949b",
};

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const palette = (): Palette => (dark.matches ? DARK : LIGHT);

export function onSchemeChange(act: () => void): void {
  dark.addEventListener("change", act);
}

/** The colour half way between two, each `#rrggbb`. */
export function mixed(one: string, other: string): string {
  const part = (colour: string, at: number) => parseInt(colour.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round((part(one, at) + part(other, at)) / 2).toString(16).padStart(2, "0")).join("")}`;
}
