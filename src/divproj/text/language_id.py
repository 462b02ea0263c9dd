"""Language identification for translations, by words and letters; nothing is downloaded.

Latin and Cyrillic text is compared with the languages of `SAMPLES`; most other scripts belong to one language. A line that
is too short, or unlike all of them, is left undecided: the code is ''. `of_text` takes one line, `of_lines` many lines in
one language, `of_each` the lines of a file that may be in several.

The tables were written for this module (CC0). A sample has a code, a weight (how common the language is as one of
translations), its most frequent words in order, and running text whose letter trigrams are counted. `WORDS` adds everyday
words of the most common languages, so that lines of two or three words can be identified.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from divproj.text.tokens import normal_form

SURE_LANGUAGE = 0.9
"""Probability from which on a language is named; chosen on sentences written for the tests."""
FAMILIAR = 0.12
"""Share of words that must be frequent words of the language named, in a text of many words."""
TEMPER = 0.6
"""Words of a line are not independent: their log-odds count this much."""
COMMON_LANGUAGE = 0.1
"""Share of the decided lines of a file from which on a language is one of the file's."""
CERTAIN, LONG = 0.9999, 6
"""Probability, and words, of a line that is in a language which the rest of its file is not in."""
NO_TRIGRAM = -12.0
"""Log probability of three letters that the samples of a language do not have."""
WORD_SHARE = 0.1
"""Share of the most frequent word of a language, times its rank plus two, in a list of words by rank (Zipf's law)."""
SINGLE_LETTER = 0.05
"""Share of trigrams that are scored by their last letter alone, since the samples do not have them."""
JAPANESE = 0.05
"""Share of kana, beside Chinese characters, from which a text is Japanese."""
ONE_WORD = 8.0
"""Log odds that one word can speak against a language at most."""


class LanguageSample(NamedTuple):
    """What is known of one language."""

    code: str
    weight: float
    words: str
    text: str


SAMPLES = (
    LanguageSample(
        "en",
        8.0,
        """the and to of a in is he i it that you they was she his for on with we as not are this there be have had him will
        were when at my her but what them then your all do out up from so who go one me their an or if has said no like into
        by don't our did about it's where because went here can come he's i'm came just over these now very would been how
        if us down some going know two man people house that's those why let off could see get got home away again also
        before after day water want take make""",
        """When the old woman came home from the river, her children were already asleep by the fire. She put the basket of
        fish on the floor and thought about what the men had said to her. They were not going to hunt today, because the
        rain had fallen for three days and nobody could see the tracks. "Who will give us something to eat?" asked the boy.
        "I don't know," she answered, "but tomorrow your father will go to the village with his brother." He was working in
        the garden and didn't hear anything. There is a big tree behind the house where the birds make their nests. You
        should have told me that you wanted to buy it. We saw them walking through the forest, and then the dog began to
        bark at us. It is said that this mountain was once a man who had quarrelled with his wife.""",
    ),
    LanguageSample(
        "es",
        4.0,
        """de la que el en y a los se no un las una su lo por con es para me le del al ya como más él pero mi te está qué yo
        ella muy cuando así sus eso este esta si sí o son fue era había hay ahora también ese esa donde dónde porque todo
        todos ellos nos aquí allí allá tiene voy va fui tu quién hasta sin sobre después entonces dijo dice hombre mujer
        casa agua día vamos tengo estoy están estaba nosotros usted ustedes cuándo aquel antes pues entre dos uno nada
        bien les""",
        """Cuando la vieja volvió del río, sus hijos ya estaban durmiendo cerca del fuego. Dejó la canasta de pescado en el
        suelo y pensó en lo que los hombres le habían dicho. Hoy no iban a cazar, porque llovió durante tres días y nadie
        podía ver las huellas. «¿Quién nos va a dar algo de comer?», preguntó el niño. «No sé», contestó ella, «pero mañana
        tu padre irá al pueblo con su hermano». Él estaba trabajando en la chacra y no oyó nada. Hay un árbol grande detrás
        de la casa donde los pájaros hacen sus nidos. Debiste decirme que querías comprarlo. Los vimos caminando por el
        monte y luego el perro comenzó a ladrar. Dicen que aquel cerro fue antes un hombre que se peleó con su mujer. Así se
        hacía antiguamente la comida.""",
    ),
    LanguageSample(
        "pt",
        3.0,
        """de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou
        ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas
        me esse eles estão você tinha foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós
        tenho lhe deles essas esses pelas este fosse dele aqui ali então vai vou onde agora assim bem casa homem mulher
        estava""",
        """Quando a velha voltou do rio, os seus filhos já estavam dormindo perto do fogo. Ela deixou o cesto de peixe no chão
        e pensou naquilo que os homens lhe tinham dito. Hoje não iam caçar, porque choveu durante três dias e ninguém podia
        ver os rastos. “Quem vai nos dar alguma coisa para comer?”, perguntou o menino. “Não sei”, respondeu ela, “mas
        amanhã o seu pai irá à aldeia com o irmão dele”. Ele estava trabalhando na roça e não ouviu nada. Há uma árvore
        grande atrás da casa onde os pássaros fazem os seus ninhos. Você devia ter me dito que queria comprá-lo. Nós os
        vimos caminhando pelo mato e depois o cachorro começou a latir. Dizem que aquela montanha foi um homem que brigou
        com a mulher.""",
    ),
    LanguageSample(
        "fr",
        3.0,
        """de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son cette mais
        comme on tout nous sa ou fait ont leur y je tu elle vous ils elles était être avait même ces si sans aussi où bien
        c'est j'ai l'a qu'il n'est d'un d'une quand alors très peu moi lui mon ma mes tes ses nos deux homme femme maison eau
        jour va suis ai as parce celui cela ici là chez quoi encore après avant rien toujours jamais""",
        """Quand la vieille est revenue de la rivière, ses enfants dormaient déjà près du feu. Elle a posé le panier de
        poissons par terre et elle a pensé à ce que les hommes lui avaient dit. Aujourd'hui ils n'allaient pas chasser,
        parce qu'il avait plu pendant trois jours et que personne ne pouvait voir les traces. « Qui nous donnera quelque
        chose à manger ? » demanda le garçon. « Je ne sais pas », répondit-elle, « mais demain ton père ira au village avec
        son frère. » Il travaillait au champ et n'a rien entendu. Il y a un grand arbre derrière la maison où les oiseaux
        font leurs nids. Tu aurais dû me dire que tu voulais l'acheter. Nous les avons vus marcher dans la forêt, puis le
        chien s'est mis à aboyer.""",
    ),
    LanguageSample(
        "de",
        3.0,
        """der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass
        sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch
        man sein wurde sei wenn ich du wir ihr ihm ihn mir mich dich uns euch seine seinen seiner ihre ihren meine mein dein
        kein keine was wer da dann hier dort schon sehr doch daß hatte waren habe bin bist kann will soll muss wo weil denn
        ja nein alle diese dieser dieses""",
        """Als die alte Frau vom Fluss nach Hause kam, schliefen ihre Kinder schon am Feuer. Sie stellte den Korb mit den
        Fischen auf den Boden und dachte daran, was die Männer ihr gesagt hatten. Heute wollten sie nicht jagen, weil es
        drei Tage lang geregnet hatte und niemand die Spuren sehen konnte. „Wer wird uns etwas zu essen geben?“, fragte der
        Junge. „Ich weiß es nicht“, antwortete sie, „aber morgen geht dein Vater mit seinem Bruder ins Dorf.“ Er arbeitete
        im Garten und hörte nichts. Hinter dem Haus steht ein großer Baum, in dem die Vögel ihre Nester bauen. Du hättest
        mir sagen sollen, dass du es kaufen willst. Wir haben sie durch den Wald gehen sehen, und dann begann der Hund zu
        bellen.""",
    ),
    LanguageSample(
        "ru",
        3.0,
        """и в не на я что он с как это по но а к у его за она из так же все они мы от был то ты было бы мне для меня вот когда
        уже ну там до если или только ещё еще нет да быть их ей ему него них тебя себя есть кто где чтобы была были сказал
        очень потом тоже о мой моя свой один два день человек дом вода здесь тут этот эта тогда потому теперь нас вы вас
        тебе нам надо можно ли со во под над при без""",
        """Когда старуха вернулась с реки, её дети уже спали у огня. Она поставила корзину с рыбой на пол и думала о том, что
        ей сказали мужчины. Сегодня они не пойдут на охоту, потому что три дня шёл дождь и никто не мог увидеть следов. «Кто
        даст нам поесть?» — спросил мальчик. «Не знаю, — ответила она, — но завтра твой отец пойдёт в деревню со своим
        братом». Он работал в огороде и ничего не слышал. За домом стоит большое дерево, где птицы вьют гнёзда. Ты должен
        был сказать мне, что хочешь его купить. Мы видели, как они шли через лес, а потом собака начала лаять.""",
    ),
    LanguageSample(
        "it",
        1.5,
        """di e che la il in un a è per non una sono mi si lo ha le con i come da del ma questo al nel della più se o ho ci gli
        io lui lei quando anche suo sua cosa era ti dei alla delle dal loro noi voi essere stato fatto molto dove chi qui
        perché così poi degli nella sulla due uomo donna casa acqua giorno tutto tutti niente ancora già sempre mai bene
        aveva erano mio mia tuo cui senza dopo prima""",
        """Quando la vecchia tornò dal fiume, i suoi figli dormivano già vicino al fuoco. Mise il cesto di pesci per terra e
        pensò a quello che gli uomini le avevano detto. Oggi non andavano a caccia, perché aveva piovuto per tre giorni e
        nessuno poteva vedere le tracce. «Chi ci darà qualcosa da mangiare?», chiese il ragazzo. «Non lo so», rispose lei,
        «ma domani tuo padre andrà al villaggio con suo fratello». Lui lavorava nell'orto e non sentì niente. C'è un grande
        albero dietro la casa dove gli uccelli fanno il nido. Avresti dovuto dirmi che volevi comprarlo. Li abbiamo visti
        camminare nel bosco e poi il cane cominciò ad abbaiare.""",
    ),
    LanguageSample(
        "nl",
        1.5,
        """de en van het een in is dat op te zijn met voor niet die aan er hij om ook als ik dan maar bij ze uit nog naar door
        wat over was hebben heeft je wij we zij haar hem mij me jij u hun ons had werd wordt kan zal geen wel toen waar daar
        hier deze dit hoe wie want omdat na of tot veel mijn jouw heb ben gaat ging man vrouw huis water dag twee alle altijd
        iets niets zo nu al moet wil""",
        """Toen de oude vrouw van de rivier thuiskwam, sliepen haar kinderen al bij het vuur. Ze zette de mand met vis op de
        grond en dacht aan wat de mannen haar gezegd hadden. Vandaag zouden ze niet gaan jagen, omdat het drie dagen geregend
        had en niemand de sporen kon zien. "Wie zal ons iets te eten geven?" vroeg de jongen. "Ik weet het niet," antwoordde
        ze, "maar morgen gaat je vader met zijn broer naar het dorp." Hij werkte in de tuin en hoorde niets. Achter het huis
        staat een grote boom waar de vogels hun nesten maken. Je had mij moeten zeggen dat je het wilde kopen. We hebben ze
        door het bos zien lopen en toen begon de hond te blaffen.""",
    ),
    LanguageSample(
        "id",
        1.5,
        """yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke ada dia mereka kami kita adalah sudah
        sebagai oleh atau bisa orang karena lalu pergi tetapi tapi seperti telah anak rumah air hari satu dua besar kepada
        saat masih lagi belum kamu aku nya apa siapa mana jangan mau punya datang lihat sama semua sangat sekali kalau
        ketika supaya harus sedang para hanya sampai sini sana begitu pun lah""",
        """Ketika perempuan tua itu pulang dari sungai, anak-anaknya sudah tidur di dekat api. Dia menaruh keranjang ikan di
        lantai dan memikirkan apa yang dikatakan orang laki-laki kepadanya. Hari ini mereka tidak akan berburu, karena hujan
        turun selama tiga hari dan tidak ada orang yang bisa melihat jejak. "Siapa yang akan memberi kita makanan?" tanya
        anak itu. "Saya tidak tahu," jawabnya, "tetapi besok bapakmu akan pergi ke kampung dengan adiknya." Dia sedang
        bekerja di kebun dan tidak mendengar apa-apa. Ada pohon besar di belakang rumah tempat burung membuat sarang. Kamu
        seharusnya bilang kepada saya bahwa kamu mau membelinya. Kami melihat mereka berjalan di hutan lalu anjing mulai
        menggonggong.""",
    ),
    LanguageSample(
        "tpi",
        0.5,
        """long i em ol na bilong mi mipela yu yupela tasol dispela olsem pastaim wanpela tupela tripela stap go kam bai bin
        pinis save laik tok wok man meri pikinini haus wara tude olgeta planti gutpela bikpela liklik nogat no wanem husat
        taim bipo bihain gen yet tokim lukim givim kisim putim mekim ating sapos nau moa antap daun insait arere tru""",
        """Taim lapun meri i kam bek long wara, ol pikinini bilong em i slip pinis klostu long paia. Em i putim basket pis long
        graun na em i tingting long tok bilong ol man. Tude bai ol i no inap go painim abus, long wanem ren i pundaun tripela
        de na nogat man i ken lukim mak bilong lek. Husat bai i givim kaikai long yumi? Mi no save, tasol tumora papa bilong
        yu bai i go long ples wantaim brata bilong em. Em i wok long gaden na em i no harim wanpela samting.""",
    ),
    LanguageSample(
        "ca",
        0.4,
        """de la que i el en a els les un una per no es amb del al és com més se va ha però són aquest aquesta quan molt ja
        seva seu hi ho li jo tu ell ella nosaltres vostè on què qui perquè després abans també així dos home dona casa aigua
        dia tot res sense fins aquí allà dels als pel ser està era havia van vaig meu meva""",
        """Quan la vella va tornar del riu, els seus fills ja dormien a prop del foc. Va deixar el cistell de peix a terra i va
        pensar en allò que els homes li havien dit. Avui no anaven a caçar, perquè havia plogut durant tres dies i ningú no
        podia veure les petjades. Qui ens donarà alguna cosa per menjar? No ho sé, però demà el teu pare anirà al poble amb
        el seu germà. Hi ha un arbre gran darrere la casa on els ocells fan els nius.""",
    ),
    LanguageSample(
        "da",
        0.4,
        """og i at det er en den til af på der de han ikke som med for et hun var jeg har vi du sig fra men så kan skal vil om
        blev når hvad hvor nu da mig ham dem os sin sine meget ud op eller være havde efter over her noget mand kvinde hus
        vand dag to alle kom gik sagde hvem fordi også kun""",
        """Da den gamle kone kom hjem fra floden, sov hendes børn allerede ved ilden. Hun satte kurven med fisk på gulvet og
        tænkte på, hvad mændene havde sagt til hende. I dag ville de ikke gå på jagt, fordi det havde regnet i tre dage, og
        ingen kunne se sporene. Hvem vil give os noget at spise? Det ved jeg ikke, men i morgen går din far til landsbyen med
        sin bror. Han arbejdede i haven og hørte ingenting.""",
    ),
    LanguageSample(
        "sv",
        0.4,
        """och i att det är en den till av på som han inte med för ett hon var jag har vi du sig från men så kan ska vill om
        blev när vad var nu då mig honom dem oss sin sina mycket ut upp eller vara hade efter över här något man kvinna hus
        vatten dag två alla kom gick sade vem därför också bara de""",
        """När den gamla kvinnan kom hem från floden sov hennes barn redan vid elden. Hon ställde korgen med fisk på golvet och
        tänkte på vad männen hade sagt till henne. I dag skulle de inte gå på jakt, eftersom det hade regnat i tre dagar och
        ingen kunde se spåren. Vem ska ge oss något att äta? Jag vet inte, men i morgon går din far till byn med sin bror.
        Han arbetade i trädgården och hörde ingenting.""",
    ),
    LanguageSample(
        "pl",
        0.4,
        """i w nie na się z do to że jest jak o a po ale za co od dla jego tak przez czy już tylko ich był ja ty on ona my wy oni
        mnie ci mu go jej nas kiedy gdzie kto tam tu ten ta bardzo być było była są ma mam także więc potem człowiek dom
        woda dzień dwa wszystko nic jeszcze teraz swój""",
        """Kiedy stara kobieta wróciła znad rzeki, jej dzieci już spały przy ogniu. Postawiła kosz z rybami na podłodze i
        myślała o tym, co powiedzieli jej mężczyźni. Dzisiaj nie pójdą na polowanie, ponieważ przez trzy dni padał deszcz i
        nikt nie mógł zobaczyć śladów. Kto da nam coś do jedzenia? Nie wiem, ale jutro twój ojciec pójdzie do wsi ze swoim
        bratem. Pracował w ogrodzie i niczego nie słyszał.""",
    ),
    LanguageSample(
        "fi",
        0.3,
        """ja on ei se että hän oli ovat mutta kun niin minä sinä me te he tämä joka mitä missä kuka olen olet ole en et
        eivät myös sitten nyt jo vielä kuin tai jos siellä täällä sen hänen minun talo vesi päivä mies nainen kaksi kaikki
        mitään hyvin kanssa""",
        """Kun vanha nainen tuli kotiin joelta, hänen lapsensa nukkuivat jo tulen ääressä. Hän laski kalakorin lattialle ja
        ajatteli, mitä miehet olivat hänelle sanoneet. Tänään he eivät lähteneet metsälle, koska oli satanut kolme päivää
        eikä kukaan voinut nähdä jälkiä. Kuka antaa meille jotakin syötävää? En tiedä, mutta huomenna isäsi menee kylään
        veljensä kanssa.""",
    ),
    LanguageSample(
        "tr",
        0.4,
        """ve bir bu da de için o ben sen biz siz onlar ile çok ne var yok mi mı gibi daha kadar sonra değil ama en her şey
        olarak olan şimdi nasıl neden kim nerede burada orada ev su gün adam kadın iki hiç artık bana sana ona beni seni
        onu dedi gitti geldi""",
        """Yaşlı kadın nehirden eve döndüğünde çocukları ateşin yanında çoktan uyumuştu. Balık sepetini yere koydu ve erkeklerin
        ona söylediklerini düşündü. Bugün ava gitmeyeceklerdi, çünkü üç gün yağmur yağmıştı ve kimse izleri göremiyordu. Bize
        kim yiyecek bir şey verecek? Bilmiyorum, ama yarın baban kardeşiyle köye gidecek. Bahçede çalışıyordu ve hiçbir şey
        duymadı.""",
    ),
    LanguageSample(
        "sw",
        0.4,
        """na ya wa kwa ni za katika la kama cha hii huo yake wake mtu watu alikuwa huyu kwamba lakini si yeye mimi wewe sisi
        wao hapa pale sana moja mbili nyumba maji siku mwanamume mwanamke mtoto alisema akaenda nini nani wapi pia bado
        tu hata au baada kabla hakuna yangu yako""",
        """Bibi mzee aliporudi nyumbani kutoka mtoni, watoto wake walikuwa wameshalala karibu na moto. Aliweka kikapu cha samaki
        chini na kufikiri juu ya yale ambayo wanaume walimwambia. Leo hawakwenda kuwinda kwa sababu mvua ilinyesha siku tatu
        na hakuna mtu aliyeweza kuona nyayo. Nani atatupa chakula? Sijui, lakini kesho baba yako atakwenda kijijini pamoja na
        ndugu yake.""",
    ),
    LanguageSample(
        "ro",
        0.3,
        """și de la în a nu cu că pe un o este să se din pentru care mai ca sunt au fost el ea eu tu noi voi ei lui ei lor dar
        când unde cine ce acest această aici acolo foarte era am ai doi om femeie casă apă zi tot nimic după înainte sau îi
        le mi-a s-a""",
        """Când bătrâna s-a întors de la râu, copiii ei dormeau deja lângă foc. A pus coșul cu pește pe jos și s-a gândit la ce
        îi spuseseră bărbații. Astăzi nu mergeau la vânătoare, pentru că plouase trei zile și nimeni nu putea vedea urmele.
        Cine ne va da ceva de mâncare? Nu știu, dar mâine tatăl tău va merge în sat cu fratele lui.""",
    ),
    LanguageSample(
        "hu",
        0.3,
        """a az és hogy nem is egy de van volt meg ez azt már csak mint én te ő mi ti ők aki ami hol mit ki itt ott nagyon
        vagy ha akkor még lesz lehet ház víz nap ember asszony két minden semmi után előtt el be fel""",
        """Amikor az öregasszony hazajött a folyótól, a gyerekei már aludtak a tűznél. Letette a halas kosarat a földre, és arra
        gondolt, amit a férfiak mondtak neki. Ma nem mennek vadászni, mert három napig esett az eső, és senki sem láthatta a
        nyomokat. Ki ad nekünk enni valamit? Nem tudom, de holnap apád a faluba megy a testvérével.""",
    ),
    LanguageSample(
        "uk",
        0.5,
        """і в не на я що він з як це по але а до у його за вона із так же все вони ми від був то ти було б мені для мене ось
        коли вже ну там якщо або тільки ще ні так бути їх їй йому є хто де щоб була були сказав дуже потім теж мій моя свій
        один два день людина дім вода тут цей ця тоді тому""",
        """Коли стара жінка повернулася з річки, її діти вже спали біля вогню. Вона поставила кошик з рибою на підлогу й думала
        про те, що їй сказали чоловіки. Сьогодні вони не підуть на полювання, бо три дні йшов дощ і ніхто не міг побачити
        слідів. Хто дасть нам їсти? Не знаю, але завтра твій батько піде в село зі своїм братом.""",
    ),
    LanguageSample(
        "bg",
        0.3,
        """и да на се в не е за от с че са си по това ще но как го има до като който аз ти той тя ние вие те му й им ме ми
        беше бяха един една много когато къде кой какво тук там още вече само или след преди човек жена къща вода ден два
        всичко нищо""",
        """Когато старата жена се върна от реката, децата ѝ вече спяха до огъня. Тя остави кошницата с рибата на пода и мислеше
        за това, което мъжете ѝ бяха казали. Днес няма да ходят на лов, защото три дни валя дъжд и никой не можеше да види
        следите. Кой ще ни даде нещо за ядене? Не знам, но утре баща ти ще отиде в селото с брат си.""",
    ),
)  # fmt: skip


WORDS = {
    "en": """woman child children boy girl father mother brother sister son daughter wife husband dog cat fish bird cow pig horse snake
        tree river road village forest mountain field fire food meat rice bread salt milk stone wood hand head eye foot leg belly mouth
        tooth heart blood name thing place night morning evening year rain sun moon star wind big small good bad old new long short
        black white red many much three four five eat eats ate drink drank sleep slept swim swims swam swimming run ran walk walked goes
        gone sit sat stand stood give gave gives took taken made say says tell told speak spoke ask asked answer saw seen look looked
        hear heard think thought knew love loves like likes live lived die died kill killed cut hit break broke fall fell fly flew hunt
        hunted cook cooked buy bought sell sold work works worked sing sang dance cry laugh play open close put find found call called
        wait stay stayed sick tired happy angry afraid yesterday today tomorrow always never yes please thanks something nothing someone
        nobody mine yours himself herself isn't didn't doesn't can't won't let's book table school money friend teacher king""",
    "es": """niño niña niños padre madre hermano hermana hijo hija esposa esposo marido perro gato pez pescado pájaro vaca cerdo caballo
        culebra árbol río camino pueblo monte fuego comida carne pan sal leche piedra palo leña mano cabeza ojo pie boca diente corazón
        sangre nombre cosa lugar noche mañana tarde año lluvia sol luna estrella viento grande pequeño bueno malo viejo nuevo largo negro
        blanco rojo mucho muchos tres cuatro cinco come comió comer bebe duerme durmió nada corre corrió camina caminó ir fueron fuimos
        sentado da dio dar tomó hizo hacer digo dijeron habla habló pregunta vio ver mira oye piensa sabe sabía quiere quería vive murió
        matar mató corta corté pegó rompió cayó trabaja trabajo trabajó canta baila llora ríe juega abre cierra pone puso encontró llama
        llamó espera enfermo cansado ayer hoy siempre nunca gracias algo alguien nadie mío tuyo libro mesa escuela dinero amigo maestro
        compró vendió tienes viene vino ven llegó salió entró mis tus gente persona señor abuelo abuela tortilla maíz milpa""",
    "pt": """menino menina crianças criança pai mãe irmão irmã filho filha esposa marido cachorro gato peixe pássaro vaca porco cavalo
        cobra árvore rio caminho aldeia mato fogo comida carne pão sal leite pedra pau mão cabeça olho pé boca dente coração sangue nome
        coisa lugar noite manhã tarde ano chuva sol lua estrela vento grande pequeno bom mau velho novo comprido preto branco vermelho
        muitos três quatro cinco come comeu comer bebe bebeu dorme dormiu nadou corre correu anda andou ir foram fomos sentado dá deu dar
        pegou fez fazer disse dizer fala falou perguntou viu ver olha ouviu pensa sabe sabia quer queria mora morreu matou cortou bateu
        quebrou caiu trabalha trabalhou canta cantou dança chora ri brinca abriu fechou pôs achou chamou espera doente cansado ontem hoje
        amanhã sempre nunca obrigado alguém ninguém algo nada livro mesa escola dinheiro amigo comprou vendeu veio chegou saiu entrou
        onça macaco roça rede canoa índio pessoal gente""",
    "fr": """enfant enfants garçon fille père mère frère sœur fils femme mari homme chien chat poisson oiseau vache cochon cheval serpent
        arbre rivière chemin village forêt montagne champ feu nourriture viande riz pain sel lait pierre bois main tête œil yeux pied
        bouche dent cœur sang nom chose lieu nuit matin soir année pluie soleil lune étoile vent grand petit bon mauvais vieux nouveau long
        noir blanc rouge beaucoup trois quatre cinq mange mangé boire boit dort dormi nage court marche allé partir part parti assis
        donne donné pris fait faire dit dire parle parlé demande vu voir regarde entendu pense sait veut vit mort tué coupe coupé frappé
        cassé tombé travaille chante danse pleure rit joue ouvre ferme mis trouvé appelle attend reste malade fatigué hier demain toujours
        jamais merci quelque quelqu'un personne rien livre table école argent ami acheté vendu venu vient viens arrivé sorti entré
        maison eau jour gens""",
    "de": """frau kind kinder junge mädchen vater mutter bruder schwester sohn tochter hund katze fisch vogel kuh schwein pferd schlange
        baum fluss weg dorf wald berg feld feuer essen fleisch reis brot salz milch stein holz hand kopf auge fuß mund zahn herz blut name
        ding ort nacht morgen abend jahr regen sonne mond stern wind groß große klein gut schlecht alt neu lang schwarz weiß rot viele
        drei vier fünf isst aß gegessen trinkt schläft schlief geschlafen schwimmt läuft lief geht ging gegangen gehe gehen sitzt saß steht
        gibt gab gegeben nahm genommen macht machte gemacht sagt sagte spricht fragt fragte sieht sah gesehen hört hörte denkt weiß wusste
        will wollte lebt starb gestorben tötete schneidet schlug fiel gefallen arbeitet singt tanzt weint lacht spielt öffnet legt fand
        gefunden ruft rief wartet bleibt krank müde gestern heute immer nie danke etwas nichts jemand niemand mein dein buch tisch schule
        geld freund lehrer kauft kaufte verkauft kommt kam gekommen bellt wasser haus leute mann tag""",
    "ru": """женщина ребёнок ребенок дети мальчик девочка девушка отец мать брат сестра сын дочь жена муж собака кошка рыба птица корова
        лошадь змея дерево река дорога село лес гора поле огонь еда мясо хлеб соль молоко камень рука голова глаз нога рот зуб сердце кровь
        имя вещь место ночь утро вечер год дождь солнце луна ветер большой большая маленький хороший плохой старый новый чёрный белый
        красный много три четыре пять ест ел съел пьёт пил спит спал бежит идёт идет шёл пошёл пошел пошла пошли ушёл ушла сидит сидел
        стоит даёт дал дала взял взяла сделал делает говорит говорил спросил видит видел увидел смотрит слышит думает знаю знает хочу
        хочет хотел живёт жил умер убил упал работает работал поёт плачет смеётся играет открыл положил нашёл зовут ждёт остался вчера
        сегодня завтра всегда никогда спасибо что-то кто-то никто ничего мой твой моя его книга стол школа деньги друг купил продал пришёл
        пришел пришла приехал вышел вода дом люди человек день мужчина старик""",
    "it": """donna bambino bambini ragazzo ragazza padre madre fratello sorella figlio figlia moglie marito cane gatto pesce uccello mucca
        maiale cavallo serpente albero fiume strada villaggio bosco montagna fuoco cibo carne pane sale latte pietra mano testa occhio
        piede bocca cuore sangue nome cosa luogo notte mattina sera anno pioggia sole luna vento grande piccolo buono vecchio nuovo nero
        bianco rosso molto molti tre quattro cinque mangia mangiato beve dorme nuota corre cammina andato seduto dà dato preso fatto detto
        dice parla visto vede guarda sente pensa sa vuole vive morto ucciso caduto lavora canta piange ride gioca aperto messo trovato
        chiama aspetta ieri oggi domani sempre mai grazie qualcosa qualcuno nessuno libro tavolo scuola soldi amico comprato venduto
        venuto arrivato acqua giorno gente uomo""",
    "nl": """vrouw kind kinderen jongen meisje vader moeder broer zus zoon dochter hond kat vis vogel koe varken paard slang boom rivier weg
        dorp bos berg vuur eten vlees brood zout melk steen hout hand hoofd oog voet mond hart bloed naam ding plaats nacht ochtend avond
        jaar regen zon maan wind groot grote klein goed slecht oud nieuw zwart wit rood veel drie vier vijf eet at gegeten drinkt slaapt
        sliep zwemt loopt liep gaat ging gegaan zit zat staat geeft gaf nam maakt zegt zei spreekt vraagt ziet zag gezien hoort denkt weet
        wil wilde leeft stierf viel werkt zingt danst huilt lacht speelt opent vond roept wacht blijft ziek moe gisteren vandaag morgen
        altijd nooit dank iets niets iemand niemand boek tafel school geld vriend kocht verkocht komt kwam water huis mensen dag""",
    "id": """perempuan anak laki ayah ibu kakak adik suami istri anjing kucing ikan burung sapi babi kuda ular pohon sungai jalan kampung desa
        hutan gunung api makanan daging nasi beras roti garam batu kayu tangan kepala mata kaki mulut gigi hati darah nama barang tempat
        malam pagi sore tahun hujan matahari bulan angin besar kecil baik buruk tua baru panjang hitam putih merah banyak tiga empat lima
        makan minum tidur berenang lari berjalan pergi pulang duduk berdiri memberi beri ambil mengambil buat membuat bilang berkata bicara
        tanya lihat melihat dengar pikir tahu mau hidup mati membunuh jatuh kerja bekerja nyanyi menangis tertawa main buka tutup taruh
        dapat panggil tunggu sakit kemarin sekarang besok selalu buku meja sekolah uang teman guru beli membeli jual datang tiba keluar
        masuk air rumah orang hari saya kamu""",
}  # fmt: skip


LANGUAGES = (*(sample.code for sample in SAMPLES), "zh", "ja", "ko", "el", "he", "th", "ka", "hy", "ar", "fa", "hi", "ne")
"""Codes that can be the answer."""
MOST = 5000
"""Characters of one line that are looked at."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TAG = re.compile(r"<[^<>]{1,40}>|https?://\S+")
_SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "GREEK": "el", "HEBREW": "he", "THAI": "th",
    "GEORGIAN": "ka", "ARMENIAN": "hy", "ARABIC": "ar", "DEVANAGARI": "hi",
}  # fmt: skip


_NEPALI = re.compile(
    r"(?:छ|छन्|छैन|छु|छौं|हुन्छ|थियो|थिए|भयो|गर्यो|गर्‍यो|हो|यो|त्यो|तिमी|पनि|जना|लाई|हरू|हरु|बाट|सँग)(?!\w)|\w(?:को|ले|मा|लाई)(?!\w)"
)
_HINDI = re.compile(r"(?<!\w)(?:है|हैं|का|की|के|में|से|ने|नहीं|था|थी|थे|और|यह|वह|कि|हूँ|मैं|पर|को|एक)(?!\w)")
"""Words, and endings that Nepali writes at them, which tell the two languages apart."""
_ALSO = {"ne": ("DEVANAGARI",), "ja": ("CJK", "HIRAGANA", "KATAKANA"), "ko": ("HANGUL", "CJK"), "fa": ("ARABIC",)}
"""Scripts of languages that `_SCRIPTS` does not have, or not all of."""


class Guess(NamedTuple):
    """A language code, '' when undecided, and how probable the best one was."""

    code: str
    score: float


class _Table(NamedTuple):
    code: str
    prior: float
    words: dict[str, float]
    """Log-probability of the frequent words."""
    trigrams: dict[str, float]
    """log P(third letter | two before it)."""
    cyrillic: bool


@lru_cache(maxsize=1)
def _tables() -> tuple[_Table, ...]:
    total = sum(sample.weight for sample in SAMPLES)
    return tuple(
        _Table(
            sample.code,
            math.log(sample.weight / total),
            _frequent(f"{sample.words} {WORDS.get(sample.code, '')}"),
            _trigrams(f"{sample.words} {WORDS.get(sample.code, '')} {sample.text}"),
            "CYRILLIC" in unicodedata.name(sample.words.strip()[0], ""),
        )
        for sample in SAMPLES
    )


def _frequent(words: str) -> dict[str, float]:
    """Zipf's law by rank: P = 0.1 / (rank + 2), halved for the words that are not in the list."""
    ranked = list(dict.fromkeys(words.split()))
    return {word: math.log(WORD_SHARE / (rank + 2)) for rank, word in enumerate(ranked, 1)}


def _trigrams(text: str) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        counts.update(_pieces(word))
    before: Counter[str] = Counter()
    singles: Counter[str] = Counter()
    for piece, count in counts.items():
        before[piece[:2]] += count
        singles[piece[2]] += count
    letters = sum(singles.values())
    single = {letter: math.log(SINGLE_LETTER * count / letters) for letter, count in singles.items()}
    log_probs = {piece: math.log(count / (before[piece[:2]] + 2)) for piece, count in counts.items()}
    return {**single, **log_probs}


def _pieces(word: str) -> list[str]:
    padded = f"  {word.replace('’', chr(39))} "
    return [padded[k : k + 3] for k in range(len(padded) - 2)]


def of_text(text: str, among: Iterable[str] = ()) -> Guess:
    """The language of one line; `among` limits the choice to some codes.

    >>> of_text("The man went home with his dog.").code, of_text("El hombre se fue a su casa con el perro.").code
    ('en', 'es')
    >>> of_text("Ana Maria").code
    ''
    """
    return of_lines([text], among)


def of_lines(texts: Iterable[str], among: Iterable[str] = ()) -> Guess:
    """The language that all lines are in together."""
    allowed = frozenset(among)
    clean = [normal_form("NFC", _TAG.sub(" ", text[:MOST])) for text in texts]
    script = _by_script(clean)
    if script:
        return script if not allowed or script.code in allowed else Guess("", 0.0)
    words = [word for text in clean for word in _telling(text)]
    return _by_words(words, allowed)


def of_each(texts: Iterable[str], among: Iterable[str] = ()) -> list[Guess]:
    """A guess for each line, those of one file: short lines follow the languages that the others are in.

    >>> [guess.code for guess in of_each(["Sim.", "Eu não sei quem é a mulher dele.", "Você vai para a casa da sua mãe?"])]
    ['pt', 'pt', 'pt']
    """
    lines = list(texts)
    alone = [of_text(line, among) for line in lines]
    counts = Counter(guess.code for guess in alone if guess.code)
    whole = of_lines(lines, among)
    likely = {code for code, count in counts.items() if count >= COMMON_LANGUAGE * counts.total() and count > 1}
    others = max((count for code, count in counts.items() if code != whole.code), default=0)
    if whole.code and (counts[whole.code] > others or not others):
        likely.add(whole.code)  # else each line may be in a language of its own, and the longest says nothing of the others
    if not whole.code and 2 * counts.total() < sum(bool(line.strip()) for line in lines) and len(lines) > LONG:
        sure = [guess.score >= CERTAIN and len(line.split()) >= LONG for line, guess in zip(lines, alone, strict=True)]
        some = sum(sure) >= COMMON_LANGUAGE * len(lines)  # a few lines of a text in no known language may look like anything
        return [guess if here and some else Guess("", guess.score) for here, guess in zip(sure, alone, strict=True)]
    if {"hi", "ne"} <= set(counts):  # a short line tells less than all together
        indic = [line for line, guess in zip(lines, alone, strict=True) if guess.code in ("hi", "ne")]
        code = of_lines(indic).code
        alone = [Guess(code, guess.score) if guess.code in ("hi", "ne") else guess for guess in alone]
        likely = {code} | likely - {"hi", "ne"}
    if not likely:
        return alone
    return [_among_likely(line, guess, likely) for line, guess in zip(lines, alone, strict=True)]


def _among_likely(line: str, alone: Guess, likely: set[str]) -> Guess:
    if not line.strip() or alone.code in likely or (alone.code and alone.score >= CERTAIN and len(line.split()) >= LONG):
        return alone
    compared = {table.code for table in _tables()}
    if alone.code and alone.code not in compared:  # the script says it
        return alone
    if len(likely) > 1:
        return of_text(line, likely)
    code = next(iter(likely))
    if code not in compared or not script_of(line) or not can_be(code, line):
        return alone if code not in compared or alone.code else Guess("", 0.0)
    return Guess(code, 1 - alone.score if alone.code else alone.score)


def script_of(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; '' without letters.

    >>> script_of("Она ушла, OK?"), script_of("12!")
    ('CYRILLIC', '')
    """
    counts = _letters_by_script([text])
    return counts.most_common(1)[0][0] if counts else ""


def can_be(code: str, text: str) -> bool:
    """Return whether a text can be in a language, judged by its script; True where either is not known.

    >>> can_be("en", "Она ушла домой."), can_be("uk", "Она ушла домой."), can_be("en", "12")
    (False, True, True)
    """
    script, scripts = script_of(text), _scripts_of(code)
    return not script or not scripts or script in scripts


@lru_cache(maxsize=1000)
def _scripts_of(code: str) -> tuple[str, ...]:
    cyrillic = {table.code: table.cyrillic for table in _tables()}
    if code in cyrillic:
        return ("CYRILLIC",) if cyrillic[code] else ("LATIN",)
    return _ALSO.get(code, tuple(script for script, language in _SCRIPTS.items() if language == code))


def _letters_by_script(texts: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for char in (char for text in texts[:200] for char in text[:500]):
        if char > "ʯ" and char.isalpha():
            counts[unicodedata.name(char, "?").split()[0].split("-")[0]] += 1
        elif char.isalpha():
            counts["LATIN"] += 1
    return counts


def _by_script(texts: list[str]) -> Guess | None:
    """The language of a script that one language of translation uses; None for Latin, Cyrillic and no letters."""
    counts = _letters_by_script(texts)
    if not counts:
        return None
    script, most = counts.most_common(1)[0]
    japanese = counts["HIRAGANA"] + counts["KATAKANA"]
    if script in ("CJK", "HIRAGANA", "KATAKANA") and japanese > JAPANESE * most:
        script, most = "HIRAGANA", japanese + counts["CJK"]
    if script not in _SCRIPTS:
        return None
    code = _SCRIPTS[script]
    if code == "ar" and re.search("[پچژگک]", "".join(texts[:200])):
        code = "fa"
    if code == "hi":
        joined = " ".join(texts[:200])
        code = "ne" if len(_NEPALI.findall(joined)) > len(_HINDI.findall(joined)) else code
    share = most / counts.total()
    return Guess(code, share) if share > 0.5 else Guess("", share)


def _telling(text: str) -> list[str]:
    """Return the words that identify a language: not names (capitals within a sentence) and not words in capitals."""
    words: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0]
        before = text[max(0, match.start() - 3) : match.start()].rstrip()
        inside = bool(before) and before[-1] not in ".!?:;“”\"'‘’«»„¿¡([—–-…"
        if len(word) > 1 and (word.isupper() or (inside and word[0].isupper() and word.lower() not in _all_frequent())):
            continue
        words.append(word.lower().replace("’", "'"))
    return words


@lru_cache(maxsize=1)
def _all_frequent() -> frozenset[str]:
    return frozenset(word for table in _tables() for word in table.words)


@lru_cache(maxsize=20_000)
def _scores(word: str) -> tuple[float, ...]:
    """log P(word | language) of all languages."""
    pieces = _pieces(word)
    log_probs = []
    for table in _tables():
        known = table.words.get(word)
        spelled = sum(table.trigrams.get(piece, table.trigrams.get(piece[2], NO_TRIGRAM)) for piece in pieces) - 1.0
        log_probs.append(max(known, spelled) if known is not None else spelled)
    return tuple(log_probs)


def _by_words(words: list[str], allowed: frozenset[str]) -> Guess:
    tables = _tables()
    if not words:
        return Guess("", 0.0)
    sums = [table.prior for table in tables]
    for word in words[:2000]:
        scores = _scores(word)
        floor = max(scores) - ONE_WORD  # one word alone decides nothing
        for k, score in enumerate(scores):
            sums[k] += TEMPER * max(score, floor)
    ranked = [(value, table) for value, table in zip(sums, tables, strict=True) if not allowed or table.code in allowed]
    if not ranked:
        return Guess("", 0.0)
    top = max(value for value, _ in ranked)
    weights = [math.exp(value - top) for value, _ in ranked]
    best = weights.index(max(weights))
    score, table = weights[best] / sum(weights), ranked[best][1]
    known = sum(word in table.words for word in words)
    enough = known >= 1 and known / len(words) >= (FAMILIAR if len(words) > 6 else 0.0)
    return Guess(table.code if score >= SURE_LANGUAGE and enough else "", score)
