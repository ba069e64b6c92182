import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { writeBundleManifest } from "./write-bundle-manifest.ts";

// URLs in the bundle are relative to the page's <base>, which the server sets, so that one build works under any path.
export default defineConfig({
  base: "./",
  plugins: [react(), tailwindcss(), writeBundleManifest()],
  build: {
    outDir: "dist",
    assetsDir: "assets",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The pages' content security policy blocks data URLs, so fonts and images must not be inlined in style sheets.
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": "http://127.0.0.1:4000", "/ui/config.json": "http://127.0.0.1:4000" } },
});
