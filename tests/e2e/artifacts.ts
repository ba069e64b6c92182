import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Folder for screenshots. Each run replaces its contents. */
const FOLDER = join(import.meta.dirname, "artifacts");

/** Removes the screenshots from the previous run. */
export function clearArtifacts(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
}

/** Saves a screenshot of the whole page under this name. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  // Disable transitions. Otherwise, the screenshot could show a color that belongs to neither theme.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished))",
  );
  await page.screenshot({ path: join(FOLDER, `${name.replaceAll(/[^\w-]+/g, "-")}.png`), fullPage: true });
}
