import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { writeBundleManifest } from "./seal-bundle.ts";

// Addresses in the bundle are relative to the page's <base>, which the server fills in: one build serves any path.
export default defineConfig({
  base: "./",
  plugins: [react(), tailwindcss(), writeBundleManifest()],
  build: {
    outDir: "dist",
    assetsDir: "assets",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A font or picture inside a style sheet would be a data address, which the content policy of the pages refuses.
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": "http://127.0.0.1:4000", "/ui/config.json": "http://127.0.0.1:4000" } },
});
