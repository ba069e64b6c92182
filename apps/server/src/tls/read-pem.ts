import { readFileSync } from "node:fs";
import { TlsProblem } from "./tls-problem.ts";

export function readPem(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (error as Error).message;
    throw new TlsProblem(`${variable} names ${file}, which cannot be read: ${reason}.`);
  }
  if (!text.includes("-----BEGIN ")) throw new TlsProblem(`${variable} names ${file}, which is no PEM file.`);
  return text;
}
