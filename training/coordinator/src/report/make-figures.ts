import type { RunHistory } from "../run-history.ts";
import { durationFigure, stragglerFigure } from "./duration-figures.ts";
import type { Figure } from "./figure.ts";
import { shareFigure, updateNormFigure } from "./member-figures.ts";
import { scoreFigure } from "./score-figure.ts";

/** Returns every chart that the run has data for, in report order. */
export function makeFigures(history: RunHistory): Figure[] {
  const loss = scoreFigure(history, "loss");
  const watched = ["accuracy", "loss"].includes(history.metric) ? null : scoreFigure(history, history.metric);
  return [
    scoreFigure(history, "accuracy"),
    loss,
    watched,
    durationFigure(history),
    stragglerFigure(history),
    shareFigure(history),
    updateNormFigure(history),
  ].filter((figure) => figure !== null);
}
