import type { ModerationRequest, ModerationResponse } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Badge } from "../../components/badge.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useQuotes } from "./use-quotes.ts";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

/** Shows whether a moderation model flags the input, and why. */
export function ModerationTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("moderation");
  const [input, setInput] = useState("");
  const call = useSingleCall<ModerationResponse>();
  const body: ModerationRequest = { model, input };
  const held = noModelReason(model, "moderation") ?? (input.trim() === "" ? "Enter some text" : null);
  const [quote = null] = useQuotes(keyId, "moderations", held === null ? [body] : []);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={quote}
      sendLabel="Check text"
      heldBecause={held}
      code={{ title: model, path: "moderations", body }}
      empty="Categories and scores appear here."
      onSend={() => call.run((signal) => gatewayOf(keyId).moderate(body, { signal }))}
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="moderation" value={model} onValue={choose} />
          </Field>
          <Field label="Text">
            <TextArea rows={6} value={input} onChange={(event) => setInput(event.currentTarget.value)} />
          </Field>
        </>
      }
    >
      {({ results }) => <Verdict result={results[0] as unknown as ModerationResult | undefined} />}
    </SingleCallView>
  );
}

interface ModerationResult {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
  readonly category_scores: Readonly<Record<string, number>>;
}

function Verdict({ result }: { readonly result: ModerationResult | undefined }) {
  if (result === undefined) return <p className="text-table text-muted">The model returned no result.</p>;
  const scores = Object.entries(result.category_scores).sort(([, one], [, other]) => other - one);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-table">
        <Badge tone={result.flagged ? "danger" : "neutral"}>{result.flagged ? "Flagged" : "Not flagged"}</Badge>
      </p>
      <table className="w-full text-table">
        <thead className="sr-only">
          <tr>
            <th scope="col">Category</th>
            <th scope="col">Score</th>
          </tr>
        </thead>
        <tbody>
          {scores.map(([name, score]) => (
            <tr key={name} className="border-b border-hairline last:border-b-0">
              <th scope="row" className="py-1 pr-3 text-left font-normal">
                {name}
                {result.categories[name] === true && (
                  <span className="ml-2">
                    <Badge tone="danger">Flagged</Badge>
                  </span>
                )}
              </th>
              <td className="w-1/3 py-1 pr-3" aria-hidden>
                <span className="block h-1 rounded-full bg-meter-track">
                  <span
                    className="block h-1 rounded-full bg-meter"
                    style={{ width: `${Math.min(100, Math.max(0, score * 100))}%` }}
                  />
                </span>
              </td>
              <td className="py-1 text-right font-mono text-meta">{score.toFixed(4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
