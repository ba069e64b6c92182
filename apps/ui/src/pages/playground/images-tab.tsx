import type { ImageRequest, ImageResponse } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { Select } from "../../components/select.tsx";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useQuotes } from "./use-quotes.ts";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

const USUAL = "default";
const sizes = [USUAL, "256x256", "512x512", "1024x1024", "1536x1024", "1024x1536"].map((value) => ({
  value,
  label: value === USUAL ? "Model default" : value,
}));
const counts = ["1", "2", "3", "4"].map((value) => ({ value, label: value }));

/** Image generation. */
export function ImagesTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("image_generation");
  const [prompt, setPrompt] = useState("");
  const [size, setSize] = useState(USUAL);
  const [count, setCount] = useState("1");
  const call = useSingleCall<ImageResponse>();
  const body = { model, prompt, n: Number(count), ...(size !== USUAL && { size }) } as ImageRequest;
  const held = noModelReason(model, "images") ?? (prompt.trim() === "" ? "Enter a prompt" : null);
  const [quote = null] = useQuotes(keyId, "images.generations", held === null ? [body] : []);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={quote}
      sendLabel="Generate"
      heldBecause={held}
      code={{ title: model, path: "images/generations", body: body as unknown as Record<string, unknown> }}
      empty="Images appear here."
      onSend={() => call.run((signal) => gatewayOf(keyId).generateImages(body, { signal }))}
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="image_generation" value={model} onValue={choose} />
          </Field>
          <Field label="Prompt">
            <TextArea rows={4} value={prompt} onChange={(event) => setPrompt(event.currentTarget.value)} />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Size">
              <Select label="Size" value={size} options={sizes} onValue={setSize} />
            </Field>
            <Field label="Number of images">
              <Select label="Number of images" value={count} options={counts} onValue={setCount} />
            </Field>
          </div>
        </>
      }
    >
      {({ data }) => (
        <ul className="grid gap-3 sm:grid-cols-2">
          {((data ?? []) as readonly Drawn[]).map((drawn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: images in one response never change order.
            <li key={index}>
              <GeneratedImage drawn={drawn} name={`Image ${index + 1}`} />
            </li>
          ))}
        </ul>
      )}
    </SingleCallView>
  );
}

interface Drawn {
  readonly b64_json?: string | null;
  readonly url?: string | null;
}

/** Shows an image. Images on other hosts are linked, not loaded, because the page contacts only its own server. */
function GeneratedImage({ drawn, name }: { readonly drawn: Drawn; readonly name: string }) {
  const { b64_json: data, url } = drawn;
  const source = data ? `data:image/png;base64,${data}` : url?.startsWith("data:image/") ? url : null;
  if (source !== null) {
    return (
      <a href={source} download={`${name}.png`}>
        <img src={source} alt={name} className="w-full rounded-control border border-border" />
      </a>
    );
  }
  if (!url || !/^https?:\/\//.test(url)) return <p className="text-table text-muted">{name} has no URL.</p>;
  return (
    <a href={url} target="_blank" rel="noreferrer" className="text-table text-accent hover:underline">
      {name}, hosted by the provider
    </a>
  );
}
