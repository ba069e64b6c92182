import type { TranscriptionResponse } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea, TextInput } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { useKeyId } from "./playground-frame.tsx";
import { SingleCallView } from "./single-call-view.tsx";
import { useSingleCall } from "./use-single-call.ts";
import { noModelReason, useTabModel } from "./use-tab-model.ts";

/** Maximum upload size that the relay accepts. */
const MAX_BYTES = 19 * 1024 * 1024;

/** Audio transcription. */
export function TranscriptionTab() {
  const keyId = useKeyId();
  const [model, choose] = useTabModel("audio_transcription");
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState("");
  const [prompt, setPrompt] = useState("");
  const call = useSingleCall<TranscriptionResponse>();
  const body = { model, ...(language !== "" && { language }), ...(prompt !== "" && { prompt }) };
  const held =
    noModelReason(model, "transcription") ??
    (file === null ? "Choose an audio file" : file.size > MAX_BYTES ? "The file is larger than 19 MB" : null);
  return (
    <SingleCallView
      call={call}
      model={model}
      quote={null}
      sendLabel="Transcribe"
      heldBecause={held}
      code={{ title: model, path: "audio/transcriptions", body, fileName: file?.name ?? "speech.mp3" }}
      empty="The transcript appears here."
      onSend={() =>
        file !== null &&
        call.run((signal) => gatewayOf(keyId).transcribe({ ...body, file, filename: file.name }, { signal }))
      }
      form={
        <>
          <Field label="Model">
            <ModelPicker mode="audio_transcription" value={model} onValue={choose} />
          </Field>
          <Field label="Audio file" hint="mp3, mp4, wav, webm, flac, or ogg, up to 19 MB.">
            {(ids) => (
              <input
                {...ids}
                type="file"
                accept="audio/*,video/mp4,video/webm"
                onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
                className="min-w-0 text-table file:mr-3 file:h-8 file:rounded-control file:border file:border-outline-soft file:bg-surface file:px-3 file:text-table file:font-medium file:text-text"
              />
            )}
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Language" optional hint="Two-letter language code, such as de.">
              <TextInput value={language} maxLength={10} onChange={(event) => setLanguage(event.currentTarget.value)} />
            </Field>
            <Field label="Vocabulary hint" optional>
              <TextArea
                rows={1}
                className="min-h-[34px]!"
                value={prompt}
                onChange={(event) => setPrompt(event.currentTarget.value)}
              />
            </Field>
          </div>
        </>
      }
    >
      {({ text }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-2">
          <p className="text-body whitespace-pre-wrap wrap-anywhere">{text}</p>
          <CopyButton text={text} />
        </div>
      )}
    </SingleCallView>
  );
}
