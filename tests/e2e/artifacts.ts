import { join } from "node:path";
import type { Page } from "@playwright/test";

/** Folder for screenshots. Each run replaces its contents. */
const FOLDER = join(import.meta.dirname, "artifacts");

/** Saves a screenshot of the whole page under this name. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  // Disable transitions. Otherwise, the screenshot could show a color that belongs to neither theme.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished))",
  );
  await page.screenshot({ path: join(FOLDER, `${name.replaceAll(/[^\w-]+/g, "-")}.png`), fullPage: true });
}
