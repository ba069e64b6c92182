import { SEPARATOR } from "../books/call-rows.ts";
import type { Case, CaseContext, ExpectedCall } from "../case.ts";
import { script, type UsageReport } from "../upstream/script.ts";

const CLAIMED_SECONDS = 1;
const REAL_SECONDS = 60;
const RATE = 16_000;
const SILENT_BYTES = 96;
const MP3_BYTES = REAL_SECONDS * 4_000;
const MAX_MP3_BYTES_PER_SECOND = 40_000;

export const audioCases: readonly Case[] = [
  {
    name: "audio-length-fraud",
    promise: "A recording whose header claims one second is charged for the length that the provider billed",
    guards: "rule: a transcription costs its actual duration",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const files: readonly (readonly [string, Buffer])[] = [
        ["wav", makeWav()],
        ["flac", makeFlac()],
        // Silence takes almost no bytes.
        ["flac", makeFlac().subarray(0, SILENT_BYTES)],
        ["mp3", makeMp3(CLAIMED_SECONDS)],
        // Minimum duration of an audio file of this size, at the highest bit rate.
        ["mp3", makeMp3(MP3_BYTES / MAX_MP3_BYTES_PER_SECOND + 0.1)],
      ];
      const calls: ExpectedCall[] = [];
      for (const [form, file] of files) {
        calls.push(await transcribe(context, tenant.apiKey, form, file, "exact"));
        // If the upstream reports no duration, the gateway derives it from the number of bytes, which is exact for WAV.
        if (form === "wav") calls.push(await transcribe(context, tenant.apiKey, form, file, "none"));
      }
      return { calls };
    },
  },
];

async function transcribe(
  { stage, nonce: nextNonce }: CaseContext,
  apiKey: string,
  form: string,
  file: Buffer,
  usage: UsageReport,
): Promise<ExpectedCall> {
  const nonce = nextNonce();
  stage.hostile.expect(nonce, script({ inputTokens: 0, frames: 0, audioSeconds: REAL_SECONDS, usage }));
  const body = new FormData();
  body.append("model", "ears");
  body.append("prompt", nonce);
  body.append("file", new Blob([new Uint8Array(file)]), `recording.${form}`);
  const answer = await fetch(`${stage.tollgate.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { "x-gw-api-key": apiKey, "x-gw-call-id": `${nonce}${SEPARATOR}0`, connection: "close" },
    body,
  });
  await answer.text();
  return { nonce, expects: usage === "exact" ? { kind: "exact" } : { kind: "estimate", tolerance: 0.02 } };
}

/** Returns a WAV file whose header claims a wrong data size. */
function makeWav(): Buffer {
  const wav = Buffer.alloc(44 + REAL_SECONDS * RATE * 2);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + CLAIMED_SECONDS * RATE * 2, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(CLAIMED_SECONDS * RATE * 2, 40);
  return wav;
}

/** Returns a FLAC file whose stream info claims a wrong number of samples. */
function makeFlac(): Buffer {
  const flac = Buffer.alloc(REAL_SECONDS * RATE);
  flac.write("fLaC", 0, "latin1");
  flac.writeUInt8(0x80, 4);
  flac.writeUIntBE(34, 5, 3);
  flac.writeUInt16BE(4_096, 8);
  flac.writeUInt16BE(4_096, 10);
  flac.writeUIntBE(RATE << 4, 18, 3);
  flac.writeUInt8(0xf0, 21);
  flac.writeUInt32BE(CLAIMED_SECONDS * RATE, 22);
  return flac;
}

/** Returns an MP3 file whose first frame claims a wrong number of frames. */
function makeMp3(claimedSeconds: number): Buffer {
  const mp3 = Buffer.alloc(MP3_BYTES);
  // MPEG 1 layer III, 32 kbit/s, 44,100 samples per second.
  mp3.writeUInt32BE(0xff_fb_10_00, 0);
  mp3.write("Xing", 36, "latin1");
  mp3.writeUInt32BE(1, 40);
  mp3.writeUInt32BE(Math.ceil((claimedSeconds * 44_100) / 1_152), 44);
  return mp3;
}
