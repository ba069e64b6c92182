import { spawnSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions } from "@playwright/test";

const EXECUTABLE = process.env.TOLLGATE_CHROMIUM ?? "/usr/bin/chromium";
const SHARED_MEMORY = "/dev/shm";
/** Minimum shared memory. With less, pages with large images crash the browser. */
const ENOUGH_SHARED_MEMORY = 1024 ** 3;

/** Returns the options with which Playwright starts Debian's Chromium. */
export function launchOptions(): LaunchOptions {
  // Disable the sandbox. Inside a container, it needs privileges that a test should not have, and the browser opens
  // only our own pages.
  const args = ["--no-sandbox", "--disable-gpu", ...(hasSharedMemory() ? [] : ["--disable-dev-shm-usage"])];
  return { executablePath: EXECUTABLE, args };
}

/** Starts headless Chromium outside a test. Installs it if necessary. */
export function openBrowser(): Promise<Browser> {
  installChromium();
  return chromium.launch(launchOptions());
}

/** Installs Debian's package, unless there is a Chromium. */
export function installChromium(): void {
  if (existsSync(EXECUTABLE)) return;
  const command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";
  const { status } = spawnSync("sh", ["-c", command], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("no Chromium here: install it, or name one by TOLLGATE_CHROMIUM");
}

function hasSharedMemory(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ENOUGH_SHARED_MEMORY;
}
