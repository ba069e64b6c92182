import type { ReactNode } from "react";
import { useKeys } from "../../api/use-keys.ts";
import { ButtonLink } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { KeyPicker } from "../../components/key-picker.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useSearchState } from "../../router-search.ts";
import { BlockedNotice } from "./blocked-notice.tsx";

const playgroundTabs = [
  { value: "chat", label: "Chat" },
  { value: "completion", label: "Completion" },
  { value: "embeddings", label: "Embeddings" },
  { value: "moderation", label: "Moderation" },
  { value: "speech", label: "Speech" },
  { value: "transcription", label: "Transcription" },
  { value: "images", label: "Images" },
] as const;

/** URL parameters of the playground. A key is referenced by its ID, which isn't a secret. */
export const playgroundAddress = { tab: "chat", key: "", model: [], replay: "" } as const;

/** Storage item with the ID of the last selected key. */
const KEY_STORED = "tollgate.playground.key";

interface PlaygroundFrameProps {
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** Shown beside the key picker. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** Frame around every playground tab: title, tabs, and the key to bill. */
export function PlaygroundFrame({ note, actions, beside, children }: PlaygroundFrameProps) {
  const [state, set] = useSearchState(playgroundAddress);
  const { query, keys } = useKeys();
  const keyId = useKeyId();
  return (
    <Page title="Playground" wide note={note} action={actions}>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-[520px]">
          <Tabs
            value={state.tab as (typeof playgroundTabs)[number]["value"]}
            onValue={(tab) => set({ tab, model: [], replay: "" })}
            tabs={playgroundTabs}
          />
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-2 text-meta text-muted max-sm:w-full">
          <span aria-hidden>Key</span>
          <div className="w-60 min-w-0 max-sm:flex-1">
            <KeyPicker
              keys={keys}
              value={keyId}
              onValue={(key) => {
                localStorage.setItem(KEY_STORED, key);
                set({ key }, { replace: true });
              }}
            />
          </div>
          {beside}
        </div>
      </div>
      <BlockedNotice />
      <Loaded query={query} what="Your keys">
        {() =>
          keys.length === 0 ? (
            <EmptyState
              title="No API key"
              action={
                <ButtonLink to="/keys" search={{ create: "1" }} variant="primary">
                  Create API key
                </ButtonLink>
              }
            >
              The playground uses one of your API keys. The key's limits apply, and requests are charged as usual.
            </EmptyState>
          ) : (
            children
          )
        }
      </Loaded>
    </Page>
  );
}

/** Returns the key in the URL, else the key that was last selected in this browser, else the newest key. */
export function useKeyId(): string {
  const [{ key }] = useSearchState(playgroundAddress);
  const { keys } = useKeys();
  const wanted = [key, localStorage.getItem(KEY_STORED)];
  return wanted.find((id) => keys.some((each) => each.id === id)) ?? keys[0]?.id ?? "";
}
