/** A coding agent's memories of its team as title and body, and questions that use other words. */
export const CODING_MEMORIES = `
c1|Hotfixes branch off the newest tag, never off main|main often carries half a sprint of unreleased work, and shipping that by accident cost us a weekend.
c2|The canary receives five percent of traffic for twenty minutes|If its error ratio stays below 0.2 percent the rollout goes on by itself.
c3|Blue and green stacks share one database, so schema changes ship a release earlier than the code that needs them|Expand first, contract two releases later.
c4|Reverting a bad release means pointing the load balancer at the idle stack|It takes about forty seconds; nobody has to rebuild anything.
c5|Friday afternoon is closed for releases|The gate opens again Monday at eight, unless the on-call lead overrides it with a reason.
c6|The staging cluster is torn down at night to save money|It comes back at six in the morning; early birds wait about nine minutes.
c7|Container images are signed with cosign in the last pipeline stage|The admission controller refuses unsigned ones, so local builds never reach the cluster.
c8|Helm values for each region live in deploy/regions/*.yaml|The chart itself has no defaults for hostnames on purpose.
c9|Release notes are generated from pull request labels|Anything labelled internal is skipped; unlabelled requests block the job.
c10|The smoke suite runs against the freshly deployed pods before they get traffic|Seven requests: login, list, create, pay, refund, search, logout.
c11|Terraform state is locked in a DynamoDB table called infra-locks|A crashed run leaves the lock behind; remove it with the force-unlock command and the id from the error.
c12|Rolling restarts wait for readiness, not liveness|A pod that warms its caches answers liveness long before it can take load.
c13|Draining a node takes up to ten minutes because websocket clients are asked politely to reconnect|Do not use the force flag: carts in progress would be lost.
c14|The edge config is versioned apart from the app and goes out through make edge-push|A push is global within fifteen seconds and cannot be staged.
c15|Only the release bot may write to the registry|People push to their own scratch repository, which is wiped weekly.
c16|Flaky specs are moved to the quarantine folder and get an owner and a date|After fourteen days without a fix they are deleted, not skipped.
c17|End-to-end runs use a recorded clock so that month ends can be rehearsed|The fixture is in e2e/support/clock.
c18|Snapshot tests are allowed only for the mail templates|Everywhere else they were rubber-stamped without reading.
c19|Coverage is measured on changed lines only|The floor is eighty percent there; the overall number is shown but decides nothing.
c20|The contract tests of the shipping API record real answers once a week|They fail when the carrier renames a field, usually on Mondays.
c21|Tests that touch the file system get a fresh temporary directory from the harness|Writing into the repository makes the run fail at the end.
c22|The pipeline splits specs by their last known duration over six runners|New files are put on the emptiest one.
c23|A red build on main blocks merging for everyone|Fixing it comes before any feature, and the person who merged starts.
c24|Property tests found the rounding bug in split payments|The smallest failing case was three cents over two people.
c25|Mocks of the database were removed last spring|Every suite now talks to a real server in a container, and it is only two seconds slower.
c26|Browser tests run headless in Firefox and WebKit, but Chromium runs with a visible window on the nightly job|A focus bug only shows there.
c27|The linter runs with warnings as errors in the pipeline, not on laptops|People should be able to try things out.
c28|Benchmarks never fail a build|They leave a comment on the pull request when something became ten percent slower.
c29|Test data comes from factories with random but seeded values|The seed is printed when something breaks; pass it back to see the same failure.
c30|Load is generated from a separate account, so that the rate limiter treats it like any customer|Its key is rotated with the others.
c31|Money is stored in minor units as bigint|Floating point once made an invoice differ by a cent from its receipt.
c32|Primary keys are UUID version 7, made by the application|They sort by time, so the newest rows sit together on disk.
c33|Soft deletes were a mistake and are being replaced by an archive table|Half of our queries forgot the filter.
c34|Migrations must not hold a lock for more than two seconds|Add columns without defaults, backfill in batches of five thousand, then set the constraint.
c35|The reporting queries go to the replica, which lags by up to a minute|Anything shown right after a write has to read from the primary.
c36|Connection pooling is done by pgbouncer in transaction mode|Session features such as advisory locks and prepared statements by name do not work through it.
c37|The orders table is partitioned by month|Old partitions are detached after two years and kept as parquet.
c38|We found the slow dashboard was missing an index on (tenant_id, created_at)|The plan fell from four seconds to eleven milliseconds.
c39|Vacuum could not keep up with the sessions table|Its fill factor is now 70 and autovacuum wakes at two percent.
c40|Every table has created_at and updated_at in UTC without exception|Local time is a matter of the browser.
c41|Unique constraints decide races, not checks in code|The handler catches the violation and answers with a conflict.
c42|Enum types in the database were given up for text with a check constraint|Adding a value to an enum could not be rolled back.
c43|Backups are restored into a throwaway server each Sunday|A backup that was never restored does not count.
c44|Long transactions are killed after thirty seconds by idle_in_transaction_session_timeout|One forgotten psql window had stopped vacuum for a day.
c45|JSON columns are for what we only pass through|As soon as somebody filters by a key it becomes a real column.
c46|The public API is versioned by date in a header, not by path|Clients that send none get the version of the day they registered.
c47|Pagination uses opaque cursors everywhere|Offsets skipped rows whenever somebody inserted in between.
c48|Errors follow one shape: code, message, field, and a link to the docs|The code never changes, the words may.
c49|PATCH treats a missing key as keep and null as clear|PUT was removed because clients erased fields they did not know.
c50|Idempotency keys are kept for twenty-four hours|The same key with another body is refused with 409.
c51|Webhooks are signed with a timestamp inside the signed text|Receivers should reject anything older than five minutes.
c52|Rate limits are per token: six hundred requests a minute, bursts of fifty|The answer says how long to wait.
c53|GraphQL was tried and dropped for the partner interface|Nobody could predict what a query would cost.
c54|Bulk endpoints accept at most one thousand items and answer per item|One broken row no longer fails the batch.
c55|Deprecated fields send a Sunset header for six months before they go|The dashboard shows who still reads them.
c56|Uploads go straight to the bucket with a presigned address|The API only sees the key, never the bytes.
c57|Timestamps on the wire are RFC 3339 with milliseconds and Z|Anything else is answered with 422.
c58|The OpenAPI file is generated from the handlers and checked in|A difference fails the pipeline.
c59|Long jobs answer 202 with a place to ask for progress|They keep that answer for a week.
c60|Unknown keys in a body are refused by name|Typos used to vanish silently.
c61|Access tokens live fifteen minutes, refresh tokens thirty days|A refresh token is good for a single use; a second use ends the whole family.
c62|Passwords are hashed with argon2id at nineteen mebibytes|bcrypt hashes are replaced at the next sign-in.
c63|Sessions are bound to a device record that people can end themselves|Ending one closes its websockets too.
c64|Single sign-on customers cannot set a password at all|The reset mail tells them to ask their administrator.
c65|Service accounts have no seat and cannot open the web page|They get scoped keys that expire after ninety days.
c66|Permission checks happen in the route table, not in handlers|A route without a rule does not start.
c67|The admin area demands a second factor again after ten minutes|Support found it annoying but agreed after the phishing attempt.
c68|Invitations are tied to the address they were sent to|Forwarding one to a colleague does nothing.
c69|Login errors are the same for a wrong password and an unknown address|Timing is evened out with a dummy hash.
c70|API keys start with a prefix so that secret scanners recognise them|GitHub tells us within a minute when one leaks.
c71|Impersonation by support is shown to the customer in a banner and written to the audit trail|It ends by itself after half an hour.
c72|Cookies carry the Secure, HttpOnly and SameSite=Lax attributes|Strict broke the way back from the payment page.
c73|Cross-origin requests are allowed for the two partner domains only|The list lives in config/origins.ts.
c74|The role called viewer may export nothing|Legal asked for it after the spreadsheet incident.
c75|Lockout counts failures per account and per network, never successes|Otherwise attackers could lock people out.
c76|Forms keep their state in the address so that a reload loses nothing|Only secrets stay out of it.
c77|The design tokens are the single source of colours and distances|Hex values in components are flagged.
c78|Dates are shown in the reader's zone with the zone's name on hover|Support tickets about wrong days stopped after that.
c79|Lists with more than two hundred rows are virtualised|Below that the browser's own search is worth more.
c80|The bundle budget is one hundred and seventy kilobytes compressed for the first page|The chart library is loaded when somebody opens a chart.
c81|We replaced the modal library because it trapped the keyboard|Focus now returns to the button that opened it.
c82|Icons are inlined as symbols, never as a font|Screen readers spelled the font's letters aloud.
c83|Optimistic updates are used for stars and order only|For money we wait for the server.
c84|Error boundaries wrap each panel, so one broken widget leaves the page alive|They report with the component's name.
c85|Text never sits inside images, since it is translated into nine languages|Designers deliver layers apart.
c86|Safari drops websocket connections when the phone sleeps|The client asks for what it missed by sequence number on waking.
c87|The print stylesheet is maintained because accountants print everything|Check it whenever the invoice view changes.
c88|Dark mode follows the system and cannot be chosen by hand yet|The setting is planned with profile pages.
c89|Tables announce their sorting to assistive technology|aria-sort is set by the header component.
c90|Skeletons appear only after three hundred milliseconds|Flashing them on fast answers made the page feel slower.
c91|The search box debounces by one hundred and fifty milliseconds and cancels older questions|Results used to arrive in the wrong order.
c92|Response times are watched at the 95th percentile per route|Averages hid the slow customers for months.
c93|The product page was slow because it asked for prices one by one|A batch loader turned eighty queries into two.
c94|Compression is left to the proxy; the app sends plain bytes|Doing it twice cost a fifth of the processor.
c95|Images are resized on upload into four widths in AVIF and JPEG|Resizing on demand fell over during the sale.
c96|Memory of the worker grew because event listeners were added per job|The heap snapshot showed forty thousand closures.
c97|The garbage collector pauses went away after the cache moved out of the heap|It is a buffer with offsets now.
c98|HTTP keep-alive to the tax service was off by default|Turning it on halved the checkout time.
c99|The recommendation service answers within eighty milliseconds or is left out|The page never waits for it.
c100|Startup takes four seconds because templates are compiled ahead|Lazy compilation made the first visitor pay.
c101|Profiling in production is done with a sampling profiler for thirty seconds at a time|It costs about two percent.
c102|JSON parsing of the big feed moved to a worker thread|The event loop had stalled for 300 milliseconds.
c103|Sorting is done by the database with a collation for German|Doing it in code put umlauts at the end.
c104|N+1 warnings are on in development and throw in tests|They are off in production.
c105|We cap the export at one hundred thousand rows and stream it|Building it in memory killed two pods in March.
c106|Cold starts of the functions dropped by half after removing the SDK's unused clients|The bundle analyser found them.
c107|Logs are JSON lines with a request id that travels through all services|Grep for it first when a customer reports something.
c108|Personal data is masked before it reaches the log shipper|Addresses, names and card digits; the filter has its own tests.
c109|Alerts page a human only when customers notice|Everything else becomes a ticket in the morning.
c110|The error budget of checkout is forty minutes a quarter|When it is spent, features stop until things are stable.
c111|Traces are sampled at one percent, errors always|Set the header x-trace: 1 to force one.
c112|Dashboards are code in observability/boards|Clicking one together in the browser is fine for a day.
c113|The queue depth alarm fires at five thousand messages for ten minutes|Usually the mail provider is slow; look there first.
c114|Synthetic visitors buy a test product every five minutes from three continents|The fake orders carry the tag synthetic and are left out of revenue.
c115|Metrics with customer ids as labels are forbidden|One of them took the time series database down.
c116|Audit events go to a store that nobody can edit|Retention is seven years.
c117|Crash reports from phones arrive with symbols only if the build uploaded them|The upload step is easy to forget for hotfix builds.
c118|Every page in the runbook begins with how to tell whether it is the right page|New colleagues praised that.
c119|Incident calls have one leader who does not type commands|Two people fixing at once made the outage in May worse.
c120|Postmortems name systems, not people|They are read aloud in the Thursday meeting.
c121|The status page is updated by hand, within ten minutes|Automation once announced an outage that was a broken probe.
c122|Commits are squashed on merge, with the pull request's text as message|So write that text for the person who runs blame in two years.
c123|Branches are named after the ticket: ABC-123-short-words|The board links them by that.
c124|Reviews are expected within one working day|After that anybody may merge with the second approval of the lead.
c125|Generated files are committed, so that a checkout builds without a network|They are marked in .gitattributes to keep diffs small.
c126|Large refactorings go in as a series of small steps that each keep the tests green|The last one of three thousand lines sat open for a month.
c127|Force-pushing is fine on your own branch until somebody reviewed it|Afterwards comments lose their place.
c128|Pre-commit hooks format and nothing more|Slow hooks were switched off by everyone.
c129|The monorepo uses pnpm workspaces and turborepo|Run things with pnpm --filter, never with cd.
c130|Merges to main are queued so that each is tested on top of the one before|Two green branches had broken main together.
c131|Draft pull requests are welcome for early questions|They do not notify the owners.
c132|A TODO without a ticket number fails the linter|The number keeps it alive or gets it deleted.
c133|Submodules were replaced by published packages|Nobody remembered to update them.
c134|Old branches are deleted by a bot after sixty days|It asks the author a week before.
c135|Binary assets belong in the asset bucket, not in git|The clone had grown to four gigabytes.
c136|The changelog is written for customers, in whole sentences|Internal changes have no line there.
c137|Functions return results instead of throwing for expected failures|Exceptions are for bugs.
c138|Barrel files are forbidden because they break tree shaking|Import from the file that defines it.
c139|Names of booleans read as a statement: isReady, hasAccess|flag1 was found in the wild.
c140|We prefer composition of small hooks over class hierarchies|The one abstract controller is a museum piece.
c141|Null means known to be empty and undefined means not loaded|Mixing them up caused the blank profile page.
c142|Comments explain why; what the code does should be visible|Reviewers delete comments that repeat a line.
c143|No function takes more than three positional parameters|Beyond that it gets an options object.
c144|Time is injected as a clock, never read from the system inside logic|That made the billing tests possible.
c145|Feature folders own their routes, queries and tests|There is no shared helpers folder.
c146|Regular expressions from users are run with RE2|Backtracking had frozen the filter preview.
c147|Circular imports fail the build|madge draws the picture when you are lost.
c148|Domain events are named in the past tense|InvoicePaid, not PayInvoice.
c149|Strings shown to people come from the message catalogue|Literals in markup are flagged.
c150|Retry only what is safe to repeat|Everything else needs an idempotency key first.
c151|The oldest module, pricing, is written in Scala and nobody should extend it|New price rules go to the rules service.
c152|Dependencies are updated by a bot every Tuesday in one grouped request|Security fixes come alone and at once.
c153|A new dependency needs a line about why not to write it ourselves|Left-pad jokes aside, it works.
c154|The date library is date-fns; moment was removed|It saved sixty kilobytes.
c155|Node is pinned by .nvmrc and in the images|The patch level differed once and crypto behaved differently.
c156|Packages with install scripts are refused unless they are on the list|The list has five names.
c157|Licences are checked in the pipeline; GPL is not allowed in what we ship|Tools that only build are exempt.
c158|We vendored the PDF writer because its author vanished|Patches live in third_party/pdf/PATCHES.
c159|The protobuf definitions come from the platform team's repository by tag|Never edit the copies.
c160|Python services use uv and a lock file with hashes|pip install without it fails in the image.
c161|The image base is distroless, so there is no shell inside|Attach a debug container when you need one.
c162|Secrets come from the vault at start and are never written to disk|A restart picks up a rotated one.
c163|Customer files are scanned for viruses before anybody can open them|Until then the entry shows a clock.
c164|Penetration tests happen in spring and autumn|The last one found an open redirect on the logout page.
c165|Outgoing calls to addresses that customers type go through a proxy that refuses private networks|It resolves names itself to avoid rebinding.
c166|Content security policy allows no inline script|The chat widget needed a nonce.
c167|Encryption keys are per tenant and kept in the key service|Deleting a tenant is deleting its key.
c168|Old TLS versions are off since January|Two scanners in a warehouse had to be replaced.
c169|Data of European customers stays in Frankfurt|Support in Toronto sees masked values only.
c170|The bug bounty pays from one hundred to five thousand dollars|Reports go to security@ and get an answer in two days.
c171|Spreadsheet exports put an apostrophe before cells that start with an equals sign|Otherwise they would run as formulas.
c172|Right-to-erasure requests are done by a job that also visits the archives|It takes up to thirty days to reach the backups.
c173|Refunds over five hundred need a second person|The button asks for their code.
c174|Card data never touches our servers; the form is the provider's frame|That keeps us in the simplest compliance class.
c175|The payment webhook may arrive before the redirect comes back|The order page polls for ten seconds.
c176|Chargebacks freeze the account's payouts automatically|Finance lifts it by hand.
c177|Subscriptions renew at the hour they were bought, not at midnight|Renewing all at once had overrun the provider.
c178|Prorated amounts are rounded in the customer's favour|It is cheaper than the mails.
c179|Invoices are numbered without gaps per legal entity|The number is taken inside the transaction that stores the invoice.
c180|Failed renewals are tried again on days 1, 3, 7 and 14|Then the plan falls back to free.
c181|Tax is worked out by an outside service with a table of ours as fallback|The fallback knows standard rates only.
c182|Trial accounts need no card|Conversion fell by a third when we asked for it.
c183|Gift cards are a ledger of their own|They never expire in Germany.
c184|Payouts to sellers run on Wednesdays|Bank holidays move them by a day.
c185|Price changes apply to new orders only|Carts older than an hour are priced again with a notice.
c186|Currency is fixed when the workspace is created|Changing it means a new workspace.
c187|Discount codes are case-insensitive and trimmed|People paste them with blanks.
c188|Mails are sent by a queue that survives the provider being away|They expire after a day, except for receipts.
c189|Push notifications are grouped if more than three wait for one person|Nobody wants thirty buzzes.
c190|Quiet hours are from ten in the evening to seven in the recipient's zone|Security alerts ignore them.
c191|The unsubscribe link works without signing in|It is a law and a courtesy.
c192|SMS codes are six digits and work for five minutes|After three wrong ones a new code is needed.
c193|Bounced addresses are switched off after the second hard bounce|The person sees a banner at the next visit.
c194|Digest mails leave at eight on Mondays|Empty digests are not sent.
c195|Templates are written in MJML and previewed at /dev/mails|Outlook needs the table layout.
c196|In-app messages are kept for ninety days|Unread ones too.
c197|Slack messages link to the thing, never copy its text|Channels have guests.
c198|The search index is Typesense with synonyms maintained by the shop team|A change is live in a minute.
c199|Typing errors up to two letters are forgiven for words longer than seven|Shorter ones tolerate a single slip.
c200|Reindexing everything takes five hours, so it writes to a second collection and switches an alias|Nobody notices.
c201|Out-of-stock products sink but stay findable|Hiding them lost visitors who wanted an alert.
c202|Autocomplete learns from what people clicked, not from what they typed|Otherwise it suggested misspellings.
c203|Product codes with dashes are indexed with and without them|Warehouse staff type them both ways.
c204|Events flow through Kafka with the tenant as partition key|Order is guaranteed inside a tenant only.
c205|The warehouse is loaded with dbt models every hour|Broken models keep yesterday's table.
c206|Consumers must cope with the same message twice|At-least-once is what we have.
c207|The schema registry refuses changes that break readers|Add optional fields; never rename.
c208|Dead letters are looked at every morning by the on-call person|The usual cause is a product without weight.
c209|Exports for partners leave by SFTP at four in the morning|The file ends with a line count so that they can check it.
c210|Backfills are throttled to two hundred rows a second|They share the disks with the shop.
c211|Clickstream data is kept raw for thirty days and aggregated for ever|Nobody needs an old click.
c212|The nightly import fails when a supplier sends Latin-1|The reader guesses the encoding from the umlauts.
c213|Late events are accepted for two days, then go to a side table|Finance closes the month on the third.
c214|The iOS app supports the last two major versions|Older phones get a page that says so.
c215|Over-the-air updates are for JavaScript fixes only|Native changes go through the store.
c216|Offline edits are merged field by field, newest wins|Conflicts on the same field are shown side by side.
c217|Deep links are tested by a robot on real devices each night|Android 13 changed how they open.
c218|Biometric login falls back to the pin, not to the password|The store demanded it.
c219|App sizes are watched: forty megabytes is the limit|Lottie files were the worst offender.
c220|Location is asked for only when the map is opened|Asking at the start made a fifth of the people leave.
c221|Crash-free sessions must stay above 99.7 percent before a wider rollout|The rollout is five, twenty, fifty, hundred.
c222|Push tokens are renewed at every start of the app|Stale ones were a third of our failures.
c223|Feature switches are read once per request and stay the same inside it|Flipping in the middle had shown half of two designs.
c224|Switches that are fully on for a month get a ticket to be removed|There were two hundred of them.
c225|Experiments need at least two weeks and a written question before they start|Peeking is forbidden.
c226|Kill switches exist for recommendations, chat and exports|They are in the admin area under safety.
c227|Beta customers are a segment, not a separate deployment|They see a small flag beside the logo.
c228|Configuration is read at start and validated as a whole|A faulty value stops the program with all faults named.
c229|Environment variables are documented in one table in docs/settings.md|The program prints it with --help.
c230|Local development runs with one command: just up|It needs docker and nothing else.
c231|Seed data has three shops: tiny, typical and huge|Try everything on huge before you say it is fast.
c232|The local mail catcher is at port 8025|Nothing leaves your laptop.
c233|Hot reload works for the API too, but not for worker threads|Restart those by hand.
c234|Windows users work inside WSL|The file watcher does not see changes on the mounted drive.
c235|Ports are chosen by the tool and printed, since everybody runs two checkouts|Hard-coded 3000 is gone.
c236|Certificates for localhost come from mkcert|The browser complains once per machine.
c237|If the checkout is slow on a Mac, exclude it from Spotlight|It was eating a core.
c238|New people ship something small on their first day|The list of good first tickets is pinned.
c239|Maya decides about the public API, Jonas about the pipeline, Ines about data|Ask them before large changes there.
c240|Tobias wants benchmark numbers in every performance request|Without them he sends it back.
c241|Lena prefers long-form proposals over meetings|Two pages, with the rejected alternatives.
c242|The mobile team is in Porto and starts an hour later|Put shared meetings after ten.
c243|Design reviews are on Wednesdays at two|Bring something clickable.
c244|On-call weeks begin on Tuesday at noon|Mondays are too busy for a handover.
c245|Karim is the only one with access to the bank's test system until August|Plan reconciliation work accordingly.
c246|Support escalations go to the channel #help-eng, not to private messages|The rota answers there.
c247|Interview exercises may use any language, but not the company's code|The rubric is in the handbook.
c248|Estimates are given as ranges|Single numbers were taken as promises.
c249|The quarterly goal is to bring the checkout below two seconds on a cheap phone|Everything else is second.
c250|Decisions are written as records of half a page in docs/decisions|Superseded ones stay, with a link.
c251|Pairing happens on Thursdays with random partners|It spread knowledge of the billing code.
c252|The agent may open pull requests but never merges them|A person presses the button.
c253|Ask before deleting anything that other teams might read|Especially buckets and topics.
c254|Answers to the team should begin with the conclusion|Details below, links at the end.
c255|Screenshots belong into requests that change how something looks|Before and after, same size.
c256|When a command needs sudo, print it instead of running it|The laptops are managed.
c257|Prefer ripgrep and fd in scripts for people, but plain POSIX tools in the images|Those are not installed there.
c258|The maps provider bills per session, so create one token per visit|A token per keystroke cost eight hundred euros in a weekend.
c259|Address validation is skipped for military post boxes|The provider does not know them.
c260|Carrier labels are printed at 203 dpi|Higher resolutions are cut off by the old printers.
c261|Parcels above thirty kilograms are split automatically|Couriers refuse them otherwise.
c262|Stock is reserved for fifteen minutes when somebody enters the checkout|It is released by a sweeper.
c263|Returns create a negative order line instead of changing the old one|Accounting reads both.
c264|Barcodes are checked with their last digit before they are stored|Hand scanners drop digits.
c265|Opening hours know public holidays by region|The calendar is bought, not typed.
c266|The price feed to comparison portals is rebuilt every twenty minutes|They fetch it as they like.
c267|Store pickup needs a paid order and an id|The clerk's page shows both.
c268|The chat assistant answers from the help centre only|It hands over to a person after two misses.
c269|Prompts are versioned in the prompts folder and have tests with fixed answers|A model update broke the tone once.
c270|Model calls have a budget per tenant and day|At eighty percent the admin gets a mail.
c271|Embeddings are recomputed when the article's text changes, not on every save|The hash tells.
c272|Transcripts are kept for thirty days unless the customer opts out|Then not at all.
c273|The feature store lives in Redis with a time to live of six hours|A miss means the default, never an error.
c274|Translations come back from the agency on Thursdays|Missing keys fall back to English with a log line.
c275|Plural forms follow CLDR, so never build sentences from pieces|Polish has four of them.
c276|Right-to-left layouts are checked with Arabic before release|Mirrored icons are listed in rtl.css.
c277|Names have one field, not first and last|Many of our customers have only one.
c278|Phone numbers are stored in E.164|They are shown in the national form.
c279|The sitemap is split into files of ten thousand entries|Larger ones were ignored by crawlers.
c280|Redirects from the old shop are kept in a table, not in code|Marketing edits it.
c281|Structured data is validated in the pipeline|A broken price cost us the rich results in June.
c282|Consent is asked before any tracking pixel loads|The default is no.
c283|The cookie banner is our own, forty lines|The bought one was two hundred kilobytes.
c284|Old Android tablets in the shops run a kiosk build that cannot be updated remotely|Somebody has to walk there with a stick.
c285|Timeouts shrink along the call chain: the edge waits ten seconds, services eight, the database six|Otherwise the caller gives up while we still work.
c286|Circuit breakers open after five failures in a row and try again after half a minute|The fuse for payments is checked by hand.
c287|The scheduler takes a lease in the database, so two instances never run the same job|If the holder dies the lease runs out in sixty seconds.
c288|Cache keys carry the version of the serializer|A deploy once read objects of the day before and showed empty baskets.
c289|Entries in the shared cache expire with a random tenth added|They had all expired at once and the database drowned.
c290|Websocket messages carry a sequence number per channel|Clients that see a gap ask for the rest.
c291|Thumbnails of documents are made in a sandbox without a network|Converters are full of holes.
c292|Uploaded photos lose their location data|People posted their homes.
c293|Files larger than two gigabytes are sent in parts of sixteen megabytes|A broken connection repeats one part only.
c294|The virus scanner's database is refreshed every four hours|When it is older than a day uploads stop.
c295|Workspaces that did not pay are frozen after thirty days and deleted after a year|Their owner is told three times.
c296|Usage is counted in hourly buckets and billed from those, not from raw events|A replay cannot charge anybody twice.
c297|The sandbox environment for partners is wiped on the first of the month|They are told a week ahead.
c298|A workspace may be moved between regions by support only|It is read-only for about an hour.
c299|Seats are freed at the end of the billing month|Removing somebody does not refund the days.
c300|The demo account resets itself every night at two|Changes there do not last.
`;

export const CODING_QUESTIONS = `
how do we undo a broken rollout quickly?|c4
where should an urgent production fix start from?|c1
is there a time of the week when shipping is not permitted?|c5
why can't I reach the test cluster late in the evening?|c6
infrastructure apply says another process holds it, what now?|c11
why does emptying a machine of its pods take so long?|c13
what decides if the first small share of users gets widened to all?|c2
can I upload an image I built on my laptop to the cluster?|c7,c15
what happens to unreliable tests nobody repairs?|c16
how can we try what happens on the last day of the month?|c17
are we supposed to reach a certain percentage of tested code?|c19
may I fake postgres in unit tests?|c25
a test failed with random input, how do I get the same values again?|c29
who has to repair it when the trunk does not compile?|c23
which type do we use for amounts?|c31
the report doesn't show the record I just saved|c35
can I use session-level locks in postgres here?|c36
how are we certain that our dumps can be used in an emergency?|c43
two people create the same thing at the same moment, who wins?|c41
how do I add a column to a huge table without blocking everyone?|c34
somebody left a console open and dead rows piled up|c44
how does a client say which revision of the interface it speaks?|c46
why not use page numbers when listing?|c47
what does leaving out a field mean in an update?|c49
a customer pressed pay twice, is it charged twice?|c50
how can a receiver make sure a callback is really from us and fresh?|c51
do big files pass through our backend?|c56
how long do third parties have before an attribute disappears?|c55
what if one line of a mass import is invalid?|c54
how soon does a login expire?|c61
do we still have accounts with old password digests?|c62
can a robot user click around on the website?|c65
a leaked credential was pushed to a public repository, would anybody notice?|c70
does the client see when our staff looks into their account?|c71
why did we not pick the strictest cookie setting?|c72
can attackers block a victim by guessing wrongly on purpose?|c75
why may some people not download reports?|c74
how heavy may the landing page be?|c80
after closing a dialog, where does the cursor go?|c81
why don't we use an icon typeface?|c82
chat messages get lost on iphones after the screen was off|c86
suggestions show up for what I typed earlier instead of the latest letters|c91
loading placeholder flickers on quick replies|c90
why do we not look at mean latency?|c92
the catalogue detail view made a separate request per article|c93
background process consumed more and more RAM|c96
paying became twice as quick after a network setting, which one?|c98
the process froze while decoding a large document|c102
names with special letters come last in lists|c103
downloading everything as csv crashed the service|c105
how do I follow one customer's problem across systems?|c107
are names and card numbers visible to those who read diagnostics?|c108
should somebody be woken up for this warning?|c109
when do we have to stop building new things and repair?|c110
too many messages pile up, what is the usual suspect?|c113
fake purchases show up in the order list|c114
our monitoring database died because of too many distinct series|c115
who is in charge during an outage?|c119
what should the text of a merge look like?|c122
how long may a colleague take to look at my change?|c124
may I rewrite history on my branch?|c127
two changes were fine alone but broke together|c130
the repository takes ages to download|c135
how should expected failures be signalled in code?|c137
why must I not re-export everything from an index?|c138
how do I make code depend on the current date testable?|c144
user supplied patterns made the preview hang|c146
how should messages about something that happened be called?|c148
which package do we use for calendar arithmetic?|c154
may we ship code under a copyleft licence?|c157
how do I open a terminal inside a running pod?|c161
where do credentials live at run time?|c162
can someone make our server call internal addresses by entering a link?|c165
how do we get rid of everything of one client for good?|c167
cells in the downloaded sheet might execute something|c171
a big reimbursement cannot be sent by me alone|c173
why do we embed somebody else's form for credit cards?|c174
the confirmation page says pending though the bank already told us|c175
what happens if the monthly charge is declined?|c180
do we need a credit card to try the product?|c182
when do merchants receive their money?|c184
voucher pasted with spaces is not accepted|c187
people complain about being buzzed at night|c190
newsletter recipients must sign in to opt out?|c191
how do we rebuild the catalogue lookup without downtime?|c200
article numbers are not found when the hyphen is missing|c203
a consumer processed an event a second time, is that a bug?|c206
who looks at messages that could not be handled?|c208
the supplier file has broken characters|c212
two people changed the same record on the train without reception|c216
should we ask for gps permission on first launch?|c220
old toggles clutter the code, what's our rule?|c224
how do I set up the project on a new laptop?|c230
where can I see the messages the app sends while I develop?|c232
whom should I talk to before redesigning the build?|c239
what does the reviewer of speedups insist on?|c240
is an assistant allowed to complete a change on its own?|c252
geocoding invoice exploded|c258
everything was fetched from the database at the same second|c289
a deployment made shopping carts look empty|c288
`;
