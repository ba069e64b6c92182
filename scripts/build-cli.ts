import { chmodSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const outdir = resolve(root, process.argv[2] ?? "dist");

/** Marks a path that is being located, so that the plugin does not locate it again. */
const located = {};

/** Loads the server from its source on demand, so that local commands neither wait for it nor bundle it. */
const serverFromSource: Plugin = {
  name: "server-from-source",
  setup({ onResolve, resolve: locate }) {
    onResolve({ filter: /^\.\/|^@tollgate\/operate\// }, async ({ kind, importer, path, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || !importer.endsWith("server-commands.ts") || pluginData === located) return null;
      const found = await locate(path, { kind, importer, resolveDir, pluginData: located });
      return { path: relative(outdir, found.path), external: true };
    });
  },
};

// Delete earlier chunks, which would pile up because their names are content hashes.
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: { tollgate: join(root, "apps/server/src/main.ts") },
  outdir,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node24",
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: "#!/usr/bin/env node" },
  plugins: [serverFromSource],
  legalComments: "eof",
});
chmodSync(join(outdir, "tollgate.js"), 0o755);
