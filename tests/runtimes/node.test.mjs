// The row of the matrix that runs with every `npm test`; the others: `npm run matrix`.
import './rows/node.mjs'
