import { type ChatRequest, openaiChatFields } from "@tollgate/contracts/chat/chat-request.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { Translation } from "../../call/provider.ts";
import { findDeltaTexts } from "../../wire/delta-texts.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { buildChatRequest, type ChatQuirks } from "../build-request.ts";
import { fitMarks, fitToolMarks } from "./cache-marks.ts";
import { nameReasoning } from "./fit-answer.ts";
import { developerAsSystem, type FitParams, reasoningFromThinking, renameParams, without } from "./fit-request.ts";
import { readChatAnswer } from "./read-answer.ts";
import { readChatPieces } from "./read-answer-pieces.ts";
import { OpenAiStreamReader, type StreamQuirks } from "./stream-reader.ts";
import type { OpenAiWire } from "./wire.ts";

const everyParam = Object.freeze([...Object.keys(openaiChatFields), "thinking"]);

/** Creates the chat translation for one upstream that uses the OpenAI format. */
export function chatTranslation(wire: OpenAiWire): Translation<ChatRequest> {
  const quirks: ChatQuirks = {
    limitParam: wire.outputLimitParam ?? "max_tokens",
    asksForUsage: wire.alwaysSendsUsage !== true,
    fit: fitOf(wire),
  };
  const fitAnswer = answerFitOf(wire);
  const stream: StreamQuirks | null =
    fitAnswer === null && quirks.asksForUsage ? null : { fit: fitAnswer, sendsUsageWithChoices: !quirks.asksForUsage };
  return {
    ...(wire.readsCacheMarks === true && { readsCacheMarks: true }),
    supportedParams: (model) => paramsOf(wire, model),
    buildRequest: (call, target, dropped) => buildChatRequest(call, target, dropped, quirks),
    readAnswer: fitAnswer === null ? readChatAnswer : (call, text) => readChatAnswer(call, fitAnswer(text)),
    ...(fitAnswer === null && { readPieces: readChatPieces }),
    readStream: (call) => new OpenAiStreamReader(call, findDeltaTexts, stream),
  };
}

function paramsOf({ takes = everyParam, refuses }: OpenAiWire, model: string): readonly string[] {
  const refused = refuses?.(model) ?? [];
  return refused.length === 0 ? takes : takes.filter((name) => !refused.includes(name));
}

/** Combines all request changes for this upstream into one function. */
function fitOf({ renames, fitParams, alwaysSendsUsage: alwaysReportsUsage, ...wire }: OpenAiWire): FitParams {
  const changeMessages = messageFitOf(wire);
  const steps: FitParams[] = [
    ...(renames === undefined ? [] : [renameParams(renames)]),
    ...(fitParams === undefined ? [] : [fitParams]),
    fitWith(changeMessages),
    fitToolMarks(wire.readsCacheMarks === true),
    ...(alwaysReportsUsage === true ? [leaveOutStreamOptions] : []),
  ];
  return (call, target, edits, dropped) => {
    let left = dropped;
    for (const step of steps) left = step(call, target, edits, left);
    return left;
  };
}

type ChangeMessages = NonNullable<OpenAiWire["fitMessages"]>;
type MessageQuirks = Pick<OpenAiWire, "fitMessages" | "saysReasoning" | "developerIsSystem" | "readsCacheMarks">;

/** Returns the change of messages for this upstream, which includes the cache marks. */
function messageFitOf(wire: MessageQuirks): ChangeMessages {
  const change = ownMessageFitOf(wire);
  const keepsMarks = wire.readsCacheMarks === true;
  if (change === undefined) return (messages) => fitMarks(messages, keepsMarks);
  return (messages) => {
    const changed = change(messages);
    return fitMarks(changed ?? messages, keepsMarks) ?? changed;
  };
}

function ownMessageFitOf(wire: MessageQuirks): ChangeMessages | undefined {
  if (wire.fitMessages !== undefined) return wire.fitMessages;
  if (wire.saysReasoning) return reasoningFromThinking;
  return wire.developerIsSystem ? developerAsSystem : undefined;
}

function fitWith(change: ChangeMessages): FitParams {
  return (call, _target, edits, dropped) => {
    // Decode the messages to characters first, because escaped characters in the body aren't single bytes.
    if (change(call.body.request.messages) !== null) {
      edits.push({ name: "messages", json: toJsonBytes(change(readableRequest(call.body).messages)) });
    }
    return dropped;
  };
}

const leaveOutStreamOptions: FitParams = (call, _target, _edits, dropped) =>
  call.body.request.stream_options === undefined ? dropped : without(dropped, "stream_options");

function answerFitOf({ saysReasoning, fitAnswer }: OpenAiWire): ((text: string) => string) | null {
  if (saysReasoning !== true) return fitAnswer ?? null;
  return fitAnswer === undefined ? nameReasoning : (text) => fitAnswer(nameReasoning(text));
}
