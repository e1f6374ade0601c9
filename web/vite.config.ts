import { defineConfig } from "vite";

// Everything is a file of its own under /assets: the server's policy allows no inline script or style.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../server/bundle",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    target: "es2022",
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: Object.fromEntries(["/api", "/tiles", "/tiles.json", "/paper"].map((path) => [path, "http://127.0.0.1:8000"])) },
});
