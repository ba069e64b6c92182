import { expect, test } from "vitest";
import type { Deployment } from "../../model-list/deployment.ts";
import { makeChatCall } from "../chat-call.fixture.ts";
import { finishesOnDisconnect } from "./finishes-on-disconnect.ts";

const image = [{ type: "image_url", image_url: { url: "https://x/a.png" } }];
const callOf = (content: unknown, stream: boolean) =>
  makeChatCall({ text: JSON.stringify({ model: "m", messages: [{ role: "user", content }], stream }) });

test.for([
  ["finish", "hello", true, true],
  ["abort", image, false, false],
  ["abort_streams", "hello", true, false],
  ["abort_streams", "hello", false, true],
  // The gateway can't count the tokens of an image.
  ["abort_streams", image, true, true],
] as const)("on_disconnect %s, content %j, stream %s: %s", ([onDisconnect, content, isStream, isFinished]) => {
  expect(finishesOnDisconnect({ onDisconnect } as Deployment, callOf(content, isStream))).toBe(isFinished);
});
