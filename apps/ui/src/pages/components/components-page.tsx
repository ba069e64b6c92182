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

// Load these components lazily, because all components together exceed the page's size limit.
const SignatureSection = lazy(async () => ({ default: (await import("./signature-section.tsx")).SignatureSection }));

/** Reference sheet of all components and their states, in the current theme. */
export function ComponentsPage() {
  return (
    <Page title="Components" note="Components used across the console, in both themes." wide>
      {/* Some samples load forever. Tests that wait for pages must distinguish them from a page that is loading. */}
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
