import type { CompletionRequest, CompletionResponse } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Field } from "../../components/field.tsx";
import { NumberInput, TextArea } from "../../components/inputs.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { checkNumber, numberParameters } from "./chat-parameters.ts";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useQuotes } from "./use-quotes.ts";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

const length = numberParameters.find(
  ({ name }) => name === "max_completion_tokens",
) as (typeof numberParameters)[number];
const warmth = numberParameters.find(({ name }) => name === "temperature") as (typeof numberParameters)[number];

/** Text completion. */
export function CompletionTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("completion");
  const [prompt, setPrompt] = useState("");
  const [most, setMost] = useState("256");
  const [temperature, setTemperature] = useState("");
  const call = useSingleCall<CompletionResponse>();
  const body: CompletionRequest = {
    model,
    prompt,
    ...(most !== "" && { max_tokens: Number(most) }),
    ...(temperature !== "" && { temperature: Number(temperature) }),
  };
  const wrong = [checkNumber(most, length), checkNumber(temperature, warmth)] as const;
  const held = noModelReason(model, "completions") ?? (prompt === "" ? "Enter a prompt" : (wrong[0] ?? wrong[1]));
  const [quote = null] = useQuotes(keyId, "completions", held === null ? [body] : []);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={quote}
      sendLabel="Complete"
      heldBecause={held}
      code={{ title: model, path: "completions", body }}
      empty="The completion appears here."
      onSend={() => call.run((signal) => gatewayOf(keyId).complete(body, { signal }))}
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="completion" value={model} onValue={choose} />
          </Field>
          <Field label="Prompt">
            <TextArea rows={6} value={prompt} onChange={(event) => setPrompt(event.currentTarget.value)} />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={<span className="font-mono text-meta">max_tokens</span>} error={wrong[0]}>
              <NumberInput value={most} onChange={(event) => setMost(event.currentTarget.value)} />
            </Field>
            <Field label={<span className="font-mono text-meta">temperature</span>} error={wrong[1]}>
              <NumberInput
                inputMode="decimal"
                pattern="[0-9.]*"
                placeholder="0 to 2"
                value={temperature}
                onChange={(event) => setTemperature(event.currentTarget.value)}
              />
            </Field>
          </div>
        </>
      }
    >
      {({ choices }) => <Markdown text={choices.map(({ text }) => text).join("\n\n")} />}
    </SingleCallView>
  );
}
