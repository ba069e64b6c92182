// Trains the same model on all examples in one process. Its accuracy is the reference for the federated run.
import { accuracyOf, fit, load } from "./logistic-model.ts";
import { FEATURES, makeExamples, PARTICIPANTS } from "./make-examples.ts";

const parts = Array.from({ length: PARTICIPANTS }, (_, part) => makeExamples(part));
const training = parts.flatMap((part) => part.training);
const heldOut = parts.flatMap((part) => part.heldOut);
console.log(accuracyOf(fit(load(null, FEATURES), training, 200, 0.2), heldOut));
