import base from "./vite.config.ts";
import fs from "node:fs"; import path from "node:path";
const stub = { name: "p4-stub", enforce: "pre", resolveId(source, importer) { if (importer && source.startsWith(".")) { const f = path.resolve(path.dirname(importer), source); if (f.startsWith("/work/main/apps/ui/src/pages") && !fs.existsSync(f)) return "\0stub:" + f; } return null; }, load(id) { if (id.startsWith("\0stub:")) return "export const stub = 1;"; return null; } };
export default { ...base, plugins: [stub, ...base.plugins], build: { ...base.build, rollupOptions: { shimMissingExports: true } } };
