import type { ComponentType } from "react";
import { useCall } from "../../api/queries.ts";
import { Loaded } from "../../components/loaded.tsx";
import { useSearchState } from "../../router-search.ts";
import { ChatTab } from "./chat-tab.tsx";
import { CompletionTab } from "./completion-tab.tsx";
import { EmbeddingsTab } from "./embeddings-tab.tsx";
import { ImagesTab } from "./images-tab.tsx";
import { ModerationTab } from "./moderation-tab.tsx";
import { PlaygroundFrame, playgroundAddress } from "./playground-frame.tsx";
import { SpeechTab } from "./speech-tab.tsx";
import { TranscriptionTab } from "./transcription-tab.tsx";

const tabs: Readonly<Record<string, ComponentType>> = {
  chat: ChatTab,
  completion: CompletionTab,
  embeddings: EmbeddingsTab,
  moderation: ModerationTab,
  speech: SpeechTab,
  transcription: TranscriptionTab,
  images: ImagesTab,
};

/** Tabs to try each type of model. Requests use one of the user's keys and are charged to that key. */
export function PlaygroundPage() {
  const [{ tab }] = useSearchState(playgroundAddress);
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  const Tab = tabs[tab] ?? ChatTab;
  // Wait for the models, because each tab's initial state depends on them.
  if (hub.data === undefined) {
    return (
      <PlaygroundFrame>
        <Loaded query={hub} what="Models">
          {() => null}
        </Loaded>
      </PlaygroundFrame>
    );
  }
  return <Tab key={tab} />;
}
