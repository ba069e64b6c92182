import { crc32, deflateSync } from "node:zlib";
import { jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { seedOf } from "./sim-text.ts";

interface ImageAsked {
  readonly prompt: string;
  readonly n?: number | null;
  readonly response_format?: "url" | "b64_json" | null;
}

const SIDE = 16;

/** Creates small images in a color derived from the prompt, inline or as data URLs. */
export const image: SimOperation<ImageAsked> = {
  models: new Set(["image"]),
  read: (request) => readJson(request, "prompt"),
  reply: (model, { prompt, n, response_format: format }, nowMs) => {
    const data = Array.from({ length: n ?? 1 }, (_, index) => {
      const base64 = makePicture(seedOf(`${model.seed} ${index} ${prompt}`)).toString("base64");
      const picture = format === "b64_json" ? { b64_json: base64 } : { url: `data:image/png;base64,${base64}` };
      return { ...picture, revised_prompt: prompt };
    });
    return jsonReply(JSON.stringify({ created: Math.floor(nowMs / 1_000), data }));
  },
};

/** Returns a PNG in one color. */
function makePicture(seed: number): Buffer {
  const color = [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255];
  const row = Buffer.from([0, ...Array.from({ length: SIDE }, () => color).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // The image has three color channels with eight bits each.
  header.set([8, 2], 8);
  const rows = Buffer.concat(Array.from({ length: SIDE }, () => row));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}
