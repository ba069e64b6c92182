import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

/** Starts Chromium without a window. Where Debian has it to install and we may, it is installed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.TOLLGATE_CHROMIUM ?? DEBIAN_CHROMIUM;
  if (!existsSync(executablePath)) installChromium();
  // A sandbox inside of a container needs rights that a test should not have. Pages here are only our own.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

function installChromium(): void {
  const command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";
  const { status } = spawnSync("sh", ["-c", command], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("no Chromium here: install it, or name one by TOLLGATE_CHROMIUM");
}
