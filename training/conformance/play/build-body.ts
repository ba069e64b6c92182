import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { BodyRecipe, FramesRecipe, Json } from "../recorded-case.ts";

/** Returns the bytes of a recorded body. */
export function buildBody(recipe: BodyRecipe): Buffer {
  if ("json" in recipe) return Buffer.from(JSON.stringify(recipe.json));
  if ("text" in recipe) return Buffer.from(recipe.text);
  if ("base64" in recipe) return Buffer.from(recipe.base64, "base64");
  if ("repeat" in recipe) return Buffer.from(recipe.repeat.repeat(recipe.times));
  if ("parts" in recipe) return Buffer.concat(recipe.parts.map(buildBody));
  if ("gzip" in recipe) return gzipSync(buildBody(recipe.gzip));
  return buildFrames(recipe.frames);
}

function buildFrames(recipe: FramesRecipe): Buffer {
  const content = recipe.content.map((text) => Buffer.from(text));
  const header = Buffer.from(recipe.headerText ?? JSON.stringify(describeFrames(recipe.header, content)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(recipe.headerLength ?? header.length));
  return Buffer.concat([
    Buffer.from(recipe.magic ?? "TGF1"),
    length,
    header,
    ...content,
    Buffer.from(recipe.tail ?? ""),
  ]);
}

/** Adds the frame list to the header, unless the recipe has one. */
function describeFrames(header: Json, content: readonly Buffer[]): Json {
  if (typeof header !== "object" || header === null || Array.isArray(header) || "frames" in header) return header;
  const frames = content.map((bytes) => ({ length: bytes.length, sha256: hash(bytes) }));
  return { ...header, frames };
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
