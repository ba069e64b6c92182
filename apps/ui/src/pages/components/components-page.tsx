import { lazy, Suspense } from "react";
import { Page } from "../../components/page.tsx";
import { ControlsSample } from "./controls-sample.tsx";
import { FigureSample } from "./figure-sample.tsx";
import { FormSample } from "./form-sample.tsx";
import { LayersSample } from "./layers-sample.tsx";
import { LongTableSample } from "./long-table-sample.tsx";
import { StatesSample } from "./states-sample.tsx";
import { TableSample } from "./table-sample.tsx";
import { TokenSample } from "./token-sample.tsx";
import { TypeSample } from "./type-sample.tsx";

// Loaded after the rest: all components at once are more than a page may weigh.
const SignatureSection = lazy(async () => ({ default: (await import("./signature-section.tsx")).SignatureSection }));

/** The reference sheet: every component in its states, in the theme of whoever looks. */
export function ComponentsPage() {
  return (
    <Page title="Components" note="Components used across the console, in both themes." wide>
      {/* Some samples wait for ever, which whoever waits for pages must tell from a page that loads. */}
      <div data-sample className="contents">
        <TokenSample />
        <div className="grid lg:grid-cols-2 items-start gap-4 [&>*]:min-w-0">
          <TypeSample />
          <ControlsSample />
        </div>
        <FigureSample />
        <TableSample />
        <LongTableSample />
        <div className="grid lg:grid-cols-2 items-start gap-4 [&>*]:min-w-0">
          <FormSample />
          <LayersSample />
        </div>
        <StatesSample />
        <Suspense>
          <SignatureSection />
        </Suspense>
      </div>
    </Page>
  );
}
