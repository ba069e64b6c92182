import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useConfig } from "../../api/config.ts";

interface SignInFrameProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Shown under the card: a link to a related page. */
  readonly beside?: ReactNode;
}

/** Frame around signed-out pages. It shows the instance name, so that users know which server this is. */
export function SignInFrame({ title, children, beside }: SignInFrameProps) {
  const { instanceName, apiUrl, version, publicHub } = useConfig();
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto] justify-items-center px-4 py-8">
      <title>{`${title} · Tollgate`}</title>
      <main className="my-auto w-full max-w-[376px]">
        <img src="./icon.svg" alt="" width={32} height={32} />
        <h1 className="mt-4 text-title">{title}</h1>
        <p className="text-table text-muted">
          {!apiUrl.endsWith(instanceName) && `${instanceName}, `}
          <span className="font-mono">{apiUrl}</span>
        </p>
        <div className="mt-5 grid gap-4 rounded-panel border border-border bg-surface p-5">{children}</div>
        {beside !== undefined && <p className="mt-6 text-center text-table text-muted">{beside}</p>}
      </main>
      <footer className="flex flex-wrap justify-center gap-4 text-meta text-muted">
        <span>Tollgate {version}</span>
        {publicHub && (
          <Link to="/model_hub_table" className="text-accent underline">
            Public models
          </Link>
        )}
      </footer>
    </div>
  );
}
