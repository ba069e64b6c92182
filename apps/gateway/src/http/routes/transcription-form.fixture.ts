import { MASTER_KEY } from "../../test-gateway.fixture.ts";

/** Returns a recording of silence with 16,000 two-byte samples per second. */
export function makeWav(seconds: number): Buffer {
  const dataBytes = Math.round(seconds * 16_000) * 2;
  const wav = Buffer.alloc(44 + dataBytes);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + dataBytes, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(16_000, 24);
  wav.writeUInt32LE(32_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(dataBytes, 40);
  return wav;
}

export type FormEntry = readonly [name: string, value: string | Blob, filename?: string];

/** Two seconds of silence as a form entry. */
export const recording: FormEntry = ["file", new Blob([makeWav(2)], { type: "audio/wav" }), "two.wav"];

/** Sends a form with the master key. */
export function postForm(
  url: string,
  entries: readonly FormEntry[],
  { path = "/v1/audio/transcriptions", signal }: { path?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value, filename] of entries) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, filename);
  }
  return fetch(url + path, {
    method: "POST",
    headers: { "x-gw-api-key": MASTER_KEY },
    body: form,
    ...(signal && { signal }),
  });
}
