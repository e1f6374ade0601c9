// Colours. The twelve of areas are told apart by people with any common colour blindness: the eight of Okabe and Ito (2008),
// and four lighter or darker ones that differ from them in lightness too.

export interface Palette {
  sea: string;
  land: string[];
  ink: string;
  halo: string;
  region: string;
  accent: string;
  rim: string;
  areas: string[];
  rest: string;
}

const LIGHT: Palette = {
  sea: "#eef1f0",
  land: ["#e9e9de", "#e2e4d5", "#d9dfcb", "#cfd8c0", "#c4d0b4", "#b8c6a8"],
  ink: "#1d2733",
  halo: "#f7f8f3",
  region: "#4d5a4c",
  accent: "#b3412e",
  rim: "#ffffff",
  areas: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a3b8f", "#8c510a", "#1b4f4a", "#c44e52", "#4a5a9a", "#6b8e23"],
  rest: "#8a8f94",
};

const DARK: Palette = {
  sea: "#14181d",
  land: ["#1a2023", "#1e2628", "#232d2d", "#283432", "#2e3c38", "#35453f"],
  ink: "#e8e6e1",
  halo: "#14181d",
  region: "#b9c6b4",
  accent: "#ff8a70",
  rim: "#14181d",
  areas: ["#4aa8e0", "#ff9147", "#3ccfa0", "#e8a3cb", "#e6c04a", "#8fd0f5", "#b98ad0", "#cf9a5b", "#6fb3ab", "#f08a8d", "#98a7e6", "#a9c957"],
  rest: "#8d949b",
};

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const palette = (): Palette => (dark.matches ? DARK : LIGHT);

export function onSchemeChange(act: () => void): void {
  dark.addEventListener("change", act);
}
