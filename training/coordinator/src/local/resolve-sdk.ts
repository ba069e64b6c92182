import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SPECIFIER = "@tollgate/sdk/training";
const SOURCE = join(import.meta.dirname, "../../../participant-typescript/src/training.ts");

// Loaded by `node --import` before a participant. A project that has installed the package uses its own copy, and a new
// project runs without installing anything.
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
