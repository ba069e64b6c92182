import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Kept as what a build leaves behind; a run replaces those of the one before. */
const FOLDER = join(import.meta.dirname, "artefacts");

/** Begins a run: no picture of an earlier one is left. */
export function clearArtefacts(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
}

/** A picture of the whole page under this name. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  // Colours that are on their way from one theme to the other are nobody's.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished))",
  );
  await page.screenshot({ path: join(FOLDER, `${name.replaceAll(/[^\w-]+/g, "-")}.png`), fullPage: true });
}
