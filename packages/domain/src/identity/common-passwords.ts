// Lowercase. The caller strips suffixes (a year, an exclamation mark) before the lookup. Entries below the minimum
// length are included because users append characters to them.
const text = `
password passw0rd p@ssword p@ssw0rd pa55word pa55w0rd pass1234 password1 password12 password123 password1234
password12345 passwordpassword mypassword mypassword1 thepassword newpassword changeme changeme1 changeme123
changemenow changeit letmein letmein1 letmein123 letmeinnow welcome welcome1 welcome123 welcomehome qwerty qwerty1
qwerty12 qwerty123 qwerty1234 qwertyui qwertyuio qwertyuiop qwertyuiop1 qwertyuiop123 qwertyqwerty qwerty123456
asdfghjk asdfghjkl asdfghjkl1 asdfasdf asdf1234 asdfqwer zxcvbnm zxcvbnm1 zxcvbnm123 zxcvzxcv qazwsxedc
qazwsxedcrfv qazwsx qazwsx123 1qaz2wsx 1qaz2wsx3edc 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5
q1w2e3r4t5y6 zaq12wsx zaq1zaq1 zaq1xsw2 1234qwer qwer1234 123qweasd 123qweasdzxc qweasdzxc qwe123456 poiuytrewq
lkjhgfdsa mnbvcxz 0987654321 1029384756 1122334455 1212121212 1231231231 1234512345 123123123 123321123 1234554321
12345678910 123456789a 123456789q 123456789abc a123456789 aa123456 aa12345678 abc123456 abc1234567 abc123456789
abcd1234 abcd12345 abcde12345 abcdefg1 abcdefg123 abcdefgh1 a1b2c3d4 a1b2c3d4e5 a1s2d3f4 asd123456 147258369
159753456 789456123 741852963 987654321a 1357924680 2468013579 1111122222 1111111111a 0123456789a iloveyou
iloveyou1 iloveyou2 iloveyou123 iloveyou12 iloveu123 ilovegod ilovejesus ilovemyself loveyou123 lovelove
lovelovelove loveme123 iloveyousomuch administrator admin123 admin1234 admin12345 admin123456 adminadmin admin@123
administrator1 rootroot root1234 toor1234 superuser superadmin sysadmin webadmin webmaster master123 masterkey
masterpassword guestguest guest123 testtest test1234 test12345 testing123 testtesttest tester123 temp1234 temppass
temporary temppassword default1 defaultpassword userpassword user1234 username username1 usernamepassword
login1234 loginlogin secret123 secretsecret topsecret letmeinplease opensesame trustno1 trustnoone access14
accessgranted football football1 football123 baseball baseball1 basketball basketball1 softball volleyball
hockey123 soccer123 soccer1234 liverpool liverpool1 liverpoolfc chelsea1 chelseafc arsenal123 barcelona barcelona1
realmadrid manchester manchesterunited manutd123 juventus1 steelers packers1 cowboys1 yankees1 redsox123 lakers24
michaeljordan jordan23 princess princess1 princess123 sunshine sunshine1 sunshine123 butterfly butterfly1 superman
superman1 superman123 batman123 spiderman spiderman1 ironman123 wolverine starwars starwars1 starwars123 pokemon1
pokemon123 pikachu123 dragonball dragonballz dragon123 dragon1234 monkey123 monkey1234 shadow123 shadow1234
ninja1234 samurai123 pirate123 vampire123 harrypotter hermione gandalf1 lordoftherings matrix123 terminator
jamesbond jamesbond007 mickeymouse mickey123 minniemouse donaldduck hellokitty winniethepooh tinkerbell snoopy123
garfield scoobydoo spongebob babygirl babygirl1 babydoll sweetheart sweetie1 sweetpea honeybee buttercup cupcake1
cookie123 chocolate chocolate1 strawberry blueberry blackberry pineapple watermelon cheesecake pepperoni coffee123
starbucks cocacola cocacola1 pepsi1234 computer computer1 computer123 internet internet1 microsoft windows10
windows123 linux1234 ubuntu123 macintosh google123 facebook facebook1 facebook123 instagram twitter123 youtube123
whatsapp1 linkedin linkedin1 minecraft minecraft1 fortnite1 roblox123 playstation nintendo xbox360live callofduty
counterstrike warcraft3 worldofwarcraft starcraft leagueoflegends samsung123 samsung1 nokia1234 motorola iphone123
android123 january2020 february2020 september september1 october123 november december december1 saturday sunday123
monday123 friday123 summer123 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026
winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 winter2026 spring123 spring2024
spring2025 spring2026 autumn2024 autumn2025 autumn2026 christmas christmas1 halloween happyday newyear2025
newyear2026 birthday birthday1 michelle michelle1 jennifer jennifer1 elizabeth elizabeth1 alexander alexander1
alexandra christopher christine christian christian1 katherine catherine stephanie stephanie1 nicholas nicholas1
jonathan jonathan1 benjamin benjamin1 samantha samantha1 victoria victoria1 danielle danielle1 charlotte
anthony123 michael123 michael1 jessica1 jessica123 ashley123 amanda123 daniel123 andrew123 joshua123 matthew1
matthew123 thomas123 robert123 charlie1 charlie123 charlie1234 jordan123 hunter123 hunter2hunter2 hunter22
tigger123 buster123 bailey123 maggie123 ginger123 pepper123 sophie123 george123 william1 william123 richard1
richard123 patricia isabella valentina alejandro alejandra francisco sebastian sebastian1 gabriela fernando
mohammed mohammed1 muhammad abdullah fatima123 krishna123 jaimataji omsairam jesuschrist jesus123 jesuslove
godisgood godislove godbless blessed1 blessed123 heavenly1 angel1234 angelina angels123 hallelujah praisegod
inthenameofgod faithhope freedom1 freedom123 liberty1 america1 america123 american1 california california1
newyork1 newyork123 newyorkcity texas1234 florida1 chicago1 chicago123 london123 londonengland england1 scotland
ireland1 australia australia1 canada123 germany1 deutschland france123 paris1234 italy1234 brazil123 brasil123
mexico123 argentina colombia venezuela barcelonaspain russia123 moscow123 china1234 india1234 indonesia malaysia
singapore philippines pakistan pakistan123 bangladesh nigeria1 southafrica mustang1 mustang123 corvette ferrari1
ferrari123 lamborghini mercedes mercedes1 porsche911 porsche1 harley123 harleydavidson yamaha123 honda1234
toyota123 chevrolet chevy1234 nascar24 metallica metallica1 slipknot nirvana123 linkinpark greenday1 eminem123
rockstar rockstar1 rockandroll guitar123 blink182 ironmaiden blackmetal pinkfloyd ledzeppelin beatles1 beyonce123
justinbieber taylorswift onedirection whatever whatever1 whatever123 nothing1 nothing123 something something1
anything everything forever1 forever21 forever123 friends1 friendship bestfriend bestfriends family123 myfamily
mylove123 mylife123 happiness happy1234 lucky1234 luckyday1 smile1234 success1 success123 winner123 champion
champion1 godzilla killer123 destroyer warrior1 warrior123 gangster gangsta1 thuglife hardcore hacker123
bitcoin123 money1234 moneymoney millionaire diamond1 diamond123 platinum goldfish silver123 crystal1 phoenix1
phoenix123 rainbow1 rainbow123 purple123 orange123 yellow123 bluesky1 flower123 flowers1 sunflower wildflower
elephant crocodile alligator chihuahua labrador rottweiler doberman pitbull1 dolphin1 dolphins panther1 panthers
cheetah1 tiger1234 lion12345 wolf12345 eagle1234 horses123 kittykat kittycat puppylove pussycat fuckyou1
fuckyou123 fuckyou2 fuckoff1 fuckoff123 motherfucker asshole1 asshole123 bitch1234 bullshit biteme123 sexsexsex
sexysexy sexy12345 sexygirl sexylady iamsexy123 correcthorsebatterystaple thisismypassword thisisapassword
donotforget forgetmenot rememberme idontknow iforgot123 nopassword notapassword pleaseletmein enterpassword
enter1234 yourpassword mypassword123 companyname company123 corporate1 office365 office123 business1 marketing
marketing1 development production staging123 database1 oracle123 postgres postgres1 postgres123 mysql1234
mongodb123 redis1234 docker123 kubernetes jenkins123 gitlab123 github123 atlassian confluence server123 server2019
backup123 security security1 security123 firewall1 network1 network123 wireless wireless1 router123 cisco1234
ciscocisco vmware123 citrix123 support1 support123 helpdesk1 service1 service123 manager1 manager123 director1
student1 student123 teacher1 teacher123 school123 college1 university engineer doctor123 lawyer123 police911
fireman1 soldier1 marines1 usmc1234 airforce1 airborne1 snowboard skateboard surfing1 swimming dancing1 fishing1
hunting1 camping1 shopping cooking1 reading1 writing1
`;

/** Passwords that attackers try first. */
export const commonPasswords: ReadonlySet<string> = new Set([
  ...text.trim().split(/\s+/),
  "correct horse battery staple",
]);
