import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SPECIFIER = "@tollgate/sdk/training";
const SOURCE = join(import.meta.dirname, "../../../../sdks/typescript/src/training.ts");

// Loaded ahead of a participant by `node --import`: a project that has the package installed uses its own, and one that
// was made a moment ago runs before anything is installed.
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (specifier !== SPECIFIER || !existsSync(SOURCE)) throw error;
      return { url: pathToFileURL(SOURCE).href, shortCircuit: true };
    }
  },
});
