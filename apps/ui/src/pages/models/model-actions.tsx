import { ExternalLink, Play } from "lucide-react";
import type { HubModel } from "../../api/hub-model.ts";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";

interface ModelActionsProps {
  readonly model: HubModel;
  readonly isSignedIn: boolean;
  readonly isPage: boolean;
}

const tabs: Readonly<Record<string, string>> = {
  chat: "chat",
  completion: "completion",
  embedding: "embeddings",
  moderation: "moderation",
  audio_speech: "speech",
  audio_transcription: "transcription",
  image_generation: "images",
};

/** Actions for a model: try the model, copy its name, open its page. */
export function ModelActions({ model, isSignedIn, isPage }: ModelActionsProps) {
  const tab = tabs[model.mode];
  return (
    <>
      {isSignedIn && tab !== undefined && (
        <ButtonLink
          to="/playground"
          search={{ tab, model: [model.pattern?.examples[0] ?? model.id] }}
          variant="primary"
          icon={<Play size={14} strokeWidth={1.5} />}
        >
          Try in playground
        </ButtonLink>
      )}
      <CopyButton text={model.id} label="Copy name" variant="secondary" size="md" />
      {!isPage && (
        <ButtonLink
          to="/model_hub_table/$"
          params={{ _splat: model.id }}
          icon={<ExternalLink size={14} strokeWidth={1.5} />}
        >
          Open page
        </ButtonLink>
      )}
    </>
  );
}
