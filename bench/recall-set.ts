/** A small labeled set: one-sentence memories as in conversations, and questions in people's own words. */
export const MEMORIES = `
m1|Anja moved from Gdansk to Rotterdam in February to work for a shipping company
m2|Anja's sister Kasia is a veterinarian and lives in Krakow
m3|Anja is allergic to peanuts and carries an adrenaline pen
m4|Anja runs along the river every morning before breakfast
m5|Anja signed up for the Rotterdam marathon but sprained her ankle three weeks before it
m6|Anja's physiotherapist told her to swim instead of running until May
m7|Anja adopted a grey cat from the shelter and called it Pixel
m8|Pixel hides under the bed whenever there is thunder
m9|Anja plays the cello in an amateur orchestra on Thursdays
m10|The orchestra will perform Dvorak's ninth symphony at the town hall in June
m11|Anja's grandmother taught her how to make pierogi with potato and cheese
m12|Anja wants to open a small dumpling stall at the Saturday market
m13|The market office requires a hygiene certificate and a deposit of 400 euros
m14|Anja borrowed money from her uncle to pay the deposit for the stall
m15|Anja failed her Dutch exam once and passed it on the second attempt
m16|Anja is reading a novel about lighthouse keepers that Milo lent her
m17|Milo teaches chemistry at a secondary school in Delft
m18|Milo's car broke down on the way to Antwerp and he missed his brother's wedding
m19|Milo bought a second-hand cargo bike after selling his car
m20|Milo has two daughters, Saar and Femke, who are seven and ten years old
m21|Saar broke her arm falling off the climbing frame at school
m22|Femke won a prize at the regional science fair with a volcano made of clay
m23|Milo is learning to bake sourdough and keeps the starter in the fridge
m24|Milo grew up on a dairy farm near Leeuwarden
m25|Milo's father sold the farm after his back surgery
m26|Milo collects old maps and found one of Batavia from 1780 at a flea market
m27|Milo volunteers as a goalkeeper coach for a girls' football team
m28|The girls' football team lost the final on penalties
m29|Milo quit smoking on his fortieth birthday
m30|Milo's doctor advised him to eat less salt because of his blood pressure
m31|Milo and Anja met at a language exchange in a cafe near the station
m32|Milo and Anja plan to hike in the Ardennes during the autumn break
m33|Anja rented a wooden cabin near La Roche for four nights
m34|Milo will bring the tent in case the cabin is double-booked again
m35|Anja lost her passport on the train and got a new one at the consulate in The Hague
m36|Milo's favourite film is about a mathematician who goes deaf
m37|Anja prefers tea over coffee because coffee keeps her awake
m38|Milo painted the children's bedroom light green
m39|Anja's landlord raised the rent by nine percent in September
m40|Anja joined the tenants' association to fight the increase
m41|The team decided to store invoices in PostgreSQL instead of MongoDB
m42|Deployments to production happen on Tuesdays and Thursdays before noon
m43|The nightly backup failed because the disk of the backup host was full
m44|Customers in Canada must see prices with tax included
m45|The payment provider limits us to one hundred requests per minute
m46|Priya prefers small pull requests with one reviewer
m47|The login page broke in Safari because of a missing cookie attribute
m48|The staging environment is reset every Sunday night
m49|Tomasz owns the billing service and is on call in even weeks
m50|Feature flags older than three months should be removed
m51|The mobile app crashes on Android 12 when the keyboard opens in landscape
m52|We agreed to answer support tickets within four working hours
m53|The search index is rebuilt whenever a product category changes
m54|Priya found that compressing images before upload cut loading time in half
m55|Secrets are kept in Vault and rotated every ninety days
m56|The design team uses an eight pixel grid
m57|Load tests showed that the API slows down beyond six hundred concurrent users
m58|Tomasz will be on parental leave from November to February
m59|The contract with the cloud provider ends in December
m60|Unit tests must not reach the network
`;

export const QUESTIONS = `
Where does Anja work now?|m1
What is the job of Anja's sister?|m2
Which food must Anja avoid?|m3
What does Anja do in the mornings?|m4
Why couldn't Anja take part in the marathon?|m5
What sport was recommended to Anja while she recovers?|m6
What is the name of Anja's cat?|m7
What is Pixel afraid of?|m8
Which instrument does Anja play?|m9
What piece is the orchestra going to perform?|m10
Who showed Anja how to cook pierogi?|m11
What kind of business would Anja like to start?|m12
What does the market office ask for?|m13
How did Anja get the money for the deposit?|m14
Did Anja pass the Dutch exam?|m15
What book did Milo lend to Anja?|m16
What subject does Milo teach?|m17
Why did Milo miss the wedding of his brother?|m18
What did Milo buy after he sold the car?|m19
How old are Milo's daughters?|m20
What happened to Saar at school?|m21
What did Femke build for the science fair?|m22
What is Milo learning to bake?|m23
Where did Milo grow up?|m24
Why did Milo's father sell the farm?|m25
What does Milo collect?|m26
Which team does Milo coach?|m27
How did the football final end?|m28
When did Milo stop smoking?|m29
Why should Milo eat less salt?|m30
How did Milo and Anja get to know each other?|m31
Where are Milo and Anja going hiking?|m32,m33
Where will they sleep in the Ardennes?|m33,m34
How did Anja replace her lost passport?|m35
What is the favourite film of Milo?|m36
Why doesn't Anja drink coffee?|m37
What colour is the bedroom of the children?|m38
By how much did the rent go up?|m39
What did Anja do about the rent increase?|m40
Which database did we choose for invoices?|m41
On which days do we deploy to production?|m42
Why did the backup fail?|m43
How are prices shown to Canadian customers?|m44
How many requests does the payment provider allow?|m45
What kind of pull requests does Priya like?|m46
What was wrong with logging in on Safari?|m47
When is staging reset?|m48
Who is responsible for billing?|m49
What should happen to old feature flags?|m50
When does the mobile app crash?|m51
How quickly do we have to answer support tickets?|m52
What triggers a rebuild of the search index?|m53
How did we make pages load faster?|m54
How often are secrets rotated?|m55
How many users can the API handle at the same time?|m57
When is Tomasz away?|m58
When does the cloud contract end?|m59
Are tests allowed to use the network?|m60
`;
