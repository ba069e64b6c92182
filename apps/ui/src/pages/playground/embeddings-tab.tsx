import type { EmbeddingRequest, EmbeddingResponse } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { cosine } from "./cosine.ts";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useQuotes } from "./use-quotes.ts";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

/** Creates embeddings and shows the similarity of two inputs. */
export function EmbeddingsTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("embedding");
  const [texts, setTexts] = useState<readonly [string, string]>(["", ""]);
  const call = useSingleCall<EmbeddingResponse>();
  const input = texts.filter((text) => text.trim() !== "");
  const body: EmbeddingRequest = { model, input };
  const held = noModelReason(model, "embeddings") ?? (input.length === 0 ? "Enter some text" : null);
  const [quote = null] = useQuotes(keyId, "embeddings", held === null ? [body] : []);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={quote}
      sendLabel="Embed"
      heldBecause={held}
      code={{ title: model, path: "embeddings", body }}
      empty="Vectors appear here. If you enter two texts, their cosine similarity also appears."
      onSend={() => call.run((signal) => gatewayOf(keyId).embed(body, { signal }))}
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="embedding" value={model} onValue={choose} />
          </Field>
          <Field label="Text">
            <TextArea value={texts[0]} onChange={(event) => setTexts([event.currentTarget.value, texts[1]])} />
          </Field>
          <Field label="Text to compare" optional>
            <TextArea value={texts[1]} onChange={(event) => setTexts([texts[0], event.currentTarget.value])} />
          </Field>
        </>
      }
    >
      {({ data }) => {
        const vectors = data.map(({ embedding }) => (Array.isArray(embedding) ? (embedding as readonly number[]) : []));
        const alike = vectors[0] && vectors[1] ? cosine(vectors[0], vectors[1]) : null;
        return (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {alike !== null && (
              <p className="text-table">
                Cosine similarity{" "}
                <span className="text-figure font-semibold">{alike.toFixed(4).replace("-", "−")}</span>
              </p>
            )}
            {vectors.map((vector, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a vector belongs to the text at the same index.
              <Vector key={index} name={vectors.length > 1 ? `Text ${index + 1}` : "Vector"} vector={vector} />
            ))}
          </div>
        );
      }}
    </SingleCallView>
  );
}

const PREVIEWED = 8;
const BARS = 128;

function Vector({ name, vector }: { readonly name: string; readonly vector: readonly number[] }) {
  const shown = vector.slice(0, BARS);
  const largest = Math.max(...shown.map(Math.abs), Number.MIN_VALUE);
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <figcaption className="flex items-center gap-2 text-meta">
        <span className="font-semibold">{name}</span>
        <span className="text-muted">{vector.length.toLocaleString("en-US")} dimensions</span>
        <span className="ml-auto">
          <CopyButton text={JSON.stringify(vector)} />
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`First ${shown.length} values, from ${Math.min(...shown).toFixed(3)} to ${Math.max(...shown).toFixed(3)}`}
        viewBox={`0 0 ${shown.length * 3} 40`}
        preserveAspectRatio="none"
        className="h-10 w-full"
      >
        {shown.map((value, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its index in the vector.
            key={index}
            x={index * 3}
            width={2}
            y={value >= 0 ? 20 - (value / largest) * 20 : 20}
            height={Math.max(0.5, (Math.abs(value) / largest) * 20)}
            className={value >= 0 ? "fill-c1" : "fill-c2"}
          />
        ))}
      </svg>
      <p className="font-mono text-meta text-muted wrap-anywhere">
        [
        {vector
          .slice(0, PREVIEWED)
          .map((value) => value.toFixed(5))
          .join(", ")}
        {vector.length > PREVIEWED && ", …"}]
      </p>
    </figure>
  );
}
