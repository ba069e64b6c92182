import { spawnSync } from "node:child_process";
import type { Io } from "../io.ts";

const DEFAULT_ROWS = 24;

/** Shows text in the pager if it doesn't fit on the screen. Returns false if the caller must print the text instead. */
export function pageText(text: string, io: Io, pager: string | null): boolean {
  const rows = io.stdout.rows || DEFAULT_ROWS;
  const program = (pager ?? io.env.PAGER ?? "less").trim();
  if (io.stdout.isTTY !== true || program === "" || program === "cat" || text.split("\n").length <= rows) return false;
  const [command = "less", ...args] = program.split(/\s+/);
  const flags = command === "less" && args.length === 0 ? ["-FIRX"] : args;
  const { error } = spawnSync(command, flags, { input: text, stdio: ["pipe", "inherit", "inherit"] });
  return error === undefined;
}
