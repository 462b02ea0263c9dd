"""Frequent words and a short text of each language that linguists translate into, written for this table (CC0).

Each entry: code, how common the language is as one of translation (a weight for ties), its most frequent words in
order, and running text from which letter trigrams are counted.
"""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """What is known of one language."""

    code: str
    weight: float
    words: str
    text: str


SAMPLES = (
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
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
    Sample(
        "ro",
        0.3,
        """și de la în a nu cu că pe un o este să se din pentru care mai ca sunt au fost el ea eu tu noi voi ei lui ei lor dar
        când unde cine ce acest această aici acolo foarte era am ai doi om femeie casă apă zi tot nimic după înainte sau îi
        le mi-a s-a""",
        """Când bătrâna s-a întors de la râu, copiii ei dormeau deja lângă foc. A pus coșul cu pește pe jos și s-a gândit la ce
        îi spuseseră bărbații. Astăzi nu mergeau la vânătoare, pentru că plouase trei zile și nimeni nu putea vedea urmele.
        Cine ne va da ceva de mâncare? Nu știu, dar mâine tatăl tău va merge în sat cu fratele lui.""",
    ),
    Sample(
        "hu",
        0.3,
        """a az és hogy nem is egy de van volt meg ez azt már csak mint én te ő mi ti ők aki ami hol mit ki itt ott nagyon
        vagy ha akkor még lesz lehet ház víz nap ember asszony két minden semmi után előtt el be fel""",
        """Amikor az öregasszony hazajött a folyótól, a gyerekei már aludtak a tűznél. Letette a halas kosarat a földre, és arra
        gondolt, amit a férfiak mondtak neki. Ma nem mennek vadászni, mert három napig esett az eső, és senki sem láthatta a
        nyomokat. Ki ad nekünk enni valamit? Nem tudom, de holnap apád a faluba megy a testvérével.""",
    ),
    Sample(
        "uk",
        0.5,
        """і в не на я що він з як це по але а до у його за вона із так же все вони ми від був то ти було б мені для мене ось
        коли вже ну там якщо або тільки ще ні так бути їх їй йому є хто де щоб була були сказав дуже потім теж мій моя свій
        один два день людина дім вода тут цей ця тоді тому""",
        """Коли стара жінка повернулася з річки, її діти вже спали біля вогню. Вона поставила кошик з рибою на підлогу й думала
        про те, що їй сказали чоловіки. Сьогодні вони не підуть на полювання, бо три дні йшов дощ і ніхто не міг побачити
        слідів. Хто дасть нам їсти? Не знаю, але завтра твій батько піде в село зі своїм братом.""",
    ),
    Sample(
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
