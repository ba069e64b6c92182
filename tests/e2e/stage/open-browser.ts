import { spawnSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";
const SHARED_MEMORY = "/dev/shm";
/** Minimum shared memory. With less, pages with large images crash the browser. */
const ENOUGH_SHARED_MEMORY = 1024 ** 3;

/** Starts headless Chromium. Installs Debian's package if possible. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.TOLLGATE_CHROMIUM ?? DEBIAN_CHROMIUM;
  if (!existsSync(executablePath)) installChromium();
  // Disable the sandbox. Inside a container, it needs privileges that a test should not have, and the browser opens
  // only our own pages.
  const args = ["--no-sandbox", "--disable-gpu", ...(hasSharedMemory() ? [] : ["--disable-dev-shm-usage"])];
  return chromium.launch({ executablePath, args });
}

/** Reports whether the browser itself crashed, which says nothing about the page. */
export function isBrowserGone(error: unknown): boolean {
  const gone = /has been closed|Target closed|crashed|browser has disconnected/;
  return error instanceof Error && gone.test(error.message);
}

function hasSharedMemory(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ENOUGH_SHARED_MEMORY;
}

function installChromium(): void {
  const command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";
  const { status } = spawnSync("sh", ["-c", command], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("no Chromium here: install it, or name one by TOLLGATE_CHROMIUM");
}
