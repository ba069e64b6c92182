import type { SpeechRequest } from "@tollgate/sdk/gateway";
import { useEffect, useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Field } from "../../components/field.tsx";
import { NumberInput, TextArea, TextInput } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { Select } from "../../components/select.tsx";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useQuotes } from "./use-quotes.ts";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

const formats = ["mp3", "wav", "opus", "aac", "flac"] as const;

/** Text to speech. */
export function SpeechTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("audio_speech");
  const [input, setInput] = useState("");
  const [voice, setVoice] = useState("alloy");
  const [format, setFormat] = useState<(typeof formats)[number]>("mp3");
  const [speed, setSpeed] = useState("");
  const call = useSingleCall<Uint8Array>();
  const body = {
    model,
    input,
    voice,
    response_format: format,
    ...(speed !== "" && { speed: Number(speed) }),
  } as SpeechRequest;
  const isSpeedWrong = speed !== "" && !(Number(speed) >= 0.25 && Number(speed) <= 4);
  const held =
    noModelReason(model, "speech") ??
    (input.trim() === "" ? "Enter some text" : isSpeedWrong ? "Speed must be from 0.25 to 4" : null);
  const [quote = null] = useQuotes(keyId, "audio.speech", held === null ? [body] : []);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={quote}
      sendLabel="Generate speech"
      heldBecause={held}
      code={{ title: model, path: "audio/speech", body: body as unknown as Record<string, unknown> }}
      empty="The audio appears here."
      onSend={() => call.run((signal) => gatewayOf(keyId).speak(body, { signal }))}
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="audio_speech" value={model} onValue={choose} />
          </Field>
          <Field label="Text">
            <TextArea rows={5} value={input} onChange={(event) => setInput(event.currentTarget.value)} />
          </Field>
          <div className="grid gap-4 sm:grid-cols-3">
            <Field label="Voice">
              <TextInput value={voice} onChange={(event) => setVoice(event.currentTarget.value)} />
            </Field>
            <Field label="Format">
              <Select
                label="Format"
                value={format}
                options={formats.map((value) => ({ value, label: value }))}
                onValue={setFormat}
              />
            </Field>
            <Field label="Speed" error={isSpeedWrong ? "Enter a value from 0.25 to 4." : null}>
              <NumberInput
                inputMode="decimal"
                pattern="[0-9.]*"
                placeholder="1"
                value={speed}
                onChange={(event) => setSpeed(event.currentTarget.value)}
              />
            </Field>
          </div>
        </>
      }
    >
      {(audio) => <Player audio={audio} format={format} />}
    </SingleCallView>
  );
}

function Player({ audio, format }: { readonly audio: Uint8Array; readonly format: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([audio as Uint8Array<ArrayBuffer>], { type: mediaTypeOf(format) }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [audio, format]);
  if (url === null) return null;
  return (
    <div className="grid justify-items-start gap-2">
      {/* biome-ignore lint/a11y/useMediaCaption: the spoken text is shown beside the player. */}
      <audio controls src={url} className="w-full" />
      <a href={url} download={`speech.${format}`} className="text-table text-accent hover:underline">
        Download ({Math.ceil(audio.length / 1_024).toLocaleString("en-US")} KB)
      </a>
    </div>
  );
}

function mediaTypeOf(format: string): string {
  return format === "mp3" ? "audio/mpeg" : format === "opus" ? "audio/ogg" : `audio/${format}`;
}
