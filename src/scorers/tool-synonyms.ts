import { translations } from './tool-translations.ts';

/** Words that mean alike. A word of several parts is written with spaces: `['pr', 'pull request']`. */
export interface SynonymGroup {
  readonly words: readonly string[];
  /** What a match by another word of the group counts, against 1 for the word itself. @default 0.8 */
  readonly weight?: number;
}

/** One word written in two ways. */
const SAME = 0.8;
/** What one asks for and a tool may call otherwise. */
const RELATED = 0.45;
/** The verbs that tools are named by: nearly the same, as authors choose among them freely. */
const ACTION = 0.6;

/**
 * The vocabulary of tools, in English: abbreviations and spellings, then verbs and nouns that stand for each other.
 * Extend it (`[...toolSynonyms, { words: ['pto', 'vacation'] }]`) or replace it in `search.synonyms`.
 */
export const toolSynonyms: readonly SynonymGroup[] = [
  ...groups(
    SAME,
    `
pr pull_request
mr merge_request
repo repository
k8s kubernetes
db database
msg message
doc document
docs documentation
img image
pic picture photo photograph
vid video
auth authentication authorization authenticate
env environment
config configuration configure conf cfg
org organization organisation
cal calendar
dir directory folder
cmd command
exec execute
param parameter
arg argument
attr attribute
prop property
desc description
info information
num number
qty quantity
amt amount
addr address
acct account
admin administrator
app application
appt appointment
avg average mean
calc calculate calculation calculator
char character
col column
conv conversation
coord coordinate
crypto cryptocurrency
ctx context
dept department
dest destination
dev development developer
dm direct_message
del delete
fav favorite favourite
fn func function
fx forex exchange_rate
gcal google_calendar
gdrive google_drive
gdoc google_doc
gsheet google_sheet
gh github
gl gitlab
geo geographic geographical
id identifier
js javascript
py python
lang language
lat latitude
lng lon longitude
lib library
loc location
max maximum
min minimum
mgmt management
mgr manager
mtg meeting
nav navigation navigate
ns namespace
notif notification
obj object
opt option
perf performance
perm permission
pg postgres postgresql psql
mongo mongodb
es elasticsearch
pkg package
pos position
pref preference
prev previous
prod production
proj project
pwd password passwd
ref reference
repl replica
req request
resp response
sched schedule
sec security
sms text_message
spec specification
src source
stat statistic stats
str string
sub subscription
svc service
sync synchronize synchronise synchronization
sys system
tbl table
temp temperature
tmp temporary
txn tx transaction
tz timezone time_zone
usr user
util utility
val value
var variable
ver version
vm virtual_machine
vol volume
wf workflow
ws workspace
yt youtube
tf terraform
cf cloudflare
sf salesforce
ci continuous_integration
kb knowledge_base
ml machine_learning
ocr text_recognition
tts text_to_speech
stt speech_to_text
eth ethereum
btc bitcoin
usd dollar
eur euro
poi point_of_interest
cert certificate
fs filesystem file_system
regex regexp regular_expression
uuid guid
po purchase_order
hook webhook web_hook
login log_in sign_in signin logon
logout log_out sign_out signout
signup sign_up register
lookup look_up
setup set_up
todo to_do
email e_mail mail
website web_site site
homepage home_page
screenshot screen_shot screen_capture
spreadsheet spread_sheet
color colour
analyze analyse
summarize summarise
organize organise
cancel cancelled canceled
center centre
gray grey
catalog catalogue
dialog dialogue
license licence
travel trip journey
metadata meta_data
timestamp time_stamp
username user_name
filename file_name
hostname host_name
dropdown drop_down
checkbox check_box
backup back_up
cv resume curriculum_vitae
tv television
ip ip_address
url link
svn subversion
cpu processor
ssl tls
sql structured_query
ai artificial_intelligence
arxiv preprint
aws amazon_web_services
gcp google_cloud
s3 bucket
gpt openai
cve vulnerability
kanban board
    `,
  ),
  ...groups(SAME, translations),
  ...groups(
    ACTION,
    `
create add make new insert generate
create build construct
delete remove erase drop destroy clear purge trash discard
get fetch read retrieve view show obtain
list enumerate browse
list show get
update edit modify change patch alter adjust
search find query lookup locate discover
send post deliver submit dispatch
run execute invoke launch trigger perform
start begin launch initiate boot
stop cancel end terminate halt kill abort
show display view present
set update assign configure
search seek explore
move transfer relocate migrate
copy duplicate clone replicate fork
upload import put
download export save
write compose draft
    `,
  ),
  ...groups(
    RELATED,
    `
describe detail info explain
rename change_name
publish post release share
pause suspend
resume continue restart
enable activate turn_on switch_on
disable deactivate turn_off switch_off
attach upload
save store persist write record
convert transform translate
compare diff difference contrast
merge combine join consolidate
split divide separate
schedule plan book arrange
reserve book reservation booking
buy purchase order
pay payment charge transaction
price cost quote rate fee
analyze analysis inspect examine evaluate assess
monitor watch track observe
test check verify validate
check get status
approve accept confirm
reject decline deny refuse
assign allocate delegate
invite member
reply respond answer response
comment note remark reply
subscribe follow
unsubscribe unfollow
block ban restrict
star favorite bookmark
tag label category
mark flag
count total number how_many
calculate compute math arithmetic
add sum plus
subtract minus
multiply times
summarize summary digest overview
chart graph plot diagram visualization visualize
draw paint sketch render illustrate
capture screenshot snapshot
click press tap
type enter input fill
navigate visit open go
weather forecast temperature climate
direction route navigation driving
map location
location place position address where
geocode coordinate address
time clock
date day
current now latest today live realtime
recent latest newest last
restaurant food dining eat
hotel accommodation lodging stay
flight plane airline airfare
travel vacation tourism
taxi ride cab
movie film cinema
song music track
audio sound voice speech
video clip film
image picture photo
book novel
news headline article
article post blog
stock share equity ticker
crypto coin token
currency money exchange
invoice bill receipt
customer client contact
employee staff worker
user person people member account profile
company business organization firm corporation
product item goods
cart basket
shop store
message chat text
email mail inbox
channel room
thread discussion conversation
notification alert reminder
meeting appointment event
task todo item
issue ticket bug
bug error defect problem
error exception failure crash
card task
file document
page document
note memo
table spreadsheet sheet
row record entry
column field
schema structure
code source program script
function method
commit change
release version
log history audit
history past previous
server host machine instance
container docker
deploy release ship rollout
web internet online
website page web
scrape crawl extract
password credential secret
permission access right role
job career position vacancy employment
school university college
student pupil
course class lesson
doctor physician medical health
medicine drug medication
disease illness condition
recipe cooking meal dish
nutrition calorie diet
workout exercise fitness
car vehicle automobile
house home property real_estate
joke funny humor
definition meaning dictionary
paper publication research study
citation reference
dataset data
vector embedding
gene protein dna
chemical molecule compound
transcript caption subtitle transcription
transcribe transcript
similar related alike
recommend suggest recommendation suggestion
popular trending top
nearby near close around
random shuffle
folder directory
archive zip compress
extract unzip decompress
encrypt cipher
hash checksum digest
sort order rank
filter select
group team
team crew squad
owner author creator
author writer
size length
language locale
tweet twitter
dashboard panel report
report summary statement
metric measure statistic
usage consumption
quota limit
budget spending expense
salary pay wage
tax vat
balance amount
trade buy sell
portfolio holding
wallet account
score rating rank
review feedback rating
poll survey vote
form survey questionnaire
template layout
style format theme
font typeface
slide presentation powerpoint deck
document word
cell sheet
link connect
connect connection attach
disconnect detach
install setup
uninstall remove
upgrade update
restore recover undo revert rollback
undo revert
lock protect
hide conceal
translate translation language
game play
play start
sport match game
player athlete
team club
lyrics song
photo camera
device hardware
sensor device
light lamp
thermostat temperature
door lock
printer print
queue job
cron schedule
worker job
pipeline workflow build
build compile
debug troubleshoot diagnose
fix repair resolve
close resolve finish complete
complete done finish
open create
assignee owner
milestone deadline
deadline due
reminder alarm
timer alarm countdown
calendar schedule agenda
availability free busy
timezone time
holiday vacation
birthday birth
country nation
city town
zip postal
phone telephone call
call ring dial
contact person
friend contact
family relative
name title
title heading
text content
content body
word term
keyword term
question ask
ask query
answer solution
knowledge memory
remember memory store
forget delete
think reasoning
entity node object
relation edge relationship
tree hierarchy
graph network
network connection
port socket
domain dns
traffic request
cache store
cluster node
pod container
namespace project
image container
registry package
dependency package
module library
lint style
syntax grammar
spell grammar
key token
token credential
secret key
session conversation
browser chrome
tab window
element node
button element
cookie session
proxy vpn
    `,
  ),
];

/** A group a line; `_` joins the parts of a word. */
function groups(weight: number, lines: string): SynonymGroup[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => ({ words: line.split(' ').map((word) => word.replaceAll('_', ' ')), weight }));
}
