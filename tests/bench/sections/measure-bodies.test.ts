import { expect, test } from "vitest";
import { groupModel, writeChatRequest } from "../wire/chat-request.ts";
import { moreBytesFor } from "./measure-bodies.ts";

test.each([8, 64])("a request body of %i KiB has exactly this size", (kib) => {
  expect(writeChatRequest(groupModel, false, moreBytesFor(kib)).length).toBe(kib * 1024);
});
